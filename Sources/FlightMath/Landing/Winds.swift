/// The wind at any altitude. Between the measured layers it is interpolated; above and below them it follows
/// ``WindShape``.
struct Winds: Equatable, Sendable {
    struct Layer: Equatable, Sendable {
        var centreMetres: Double
        var drift: WindProfile.Drift
    }

    /// m/s towards east and north.
    struct Wind: Equatable, Sendable {
        var east = 0.0
        var north = 0.0
    }

    private static let topMetres = 1000.0
    private static let bottomMetres = 500.0
    private static let highestGain = 1.7
    /// If the lowest layer is below this, its wind is used down to the ground.
    private static let lowMetres = 2000.0
    private static let lowestHeardMetres = 2500.0

    let layers: [Layer]

    var isEmpty: Bool { layers.isEmpty }
    /// The centre of the lowest measured layer, metres.
    var lowestMetres: Double? { layers.first?.centreMetres }
    /// The centre of the highest measured layer, metres.
    var highestMetres: Double? { layers.last?.centreMetres }
    /// The upper edge of the highest measured layer, metres.
    var topMetres: Double? { highestMetres.map { $0 + WindProfile.layerMetres / 2 } }
    /// The mean wind of the highest 1000 m that were measured.
    private(set) var topWind: Wind
    private let bottom: Wind

    init(layers: [Layer]) {
        self.layers = layers
        let highest = layers.last?.centreMetres ?? 0
        let lowest = layers.first?.centreMetres ?? 0
        topWind = Self.mean(layers.filter { $0.centreMetres >= highest - Self.topMetres })
        bottom = Self.mean(layers.filter { $0.centreMetres <= lowest + Self.bottomMetres })
    }

    /// The winds of another flight or a forecast.
    init(_ stored: StoredWinds) {
        self.init(
            layers: stored.layers.map { layer in
                Layer(
                    centreMetres: layer.altitudeMetres,
                    drift: WindProfile.Drift(
                        east: layer.east * layer.seconds, north: layer.north * layer.seconds, seconds: layer.seconds))
            })
    }

    /// The layers in the form for the store.
    var stored: [StoredWinds.Layer] {
        layers.map { layer in
            let wind = Self.mean([layer])
            return StoredWinds.Layer(
                altitudeMetres: layer.centreMetres, east: wind.east, north: wind.north, seconds: layer.drift.seconds)
        }
    }

    /// Whether the altitude lies within the measured layers.
    func knows(_ metres: Double) -> Bool {
        guard let lowestMetres, let topMetres else { return false }
        return metres >= lowestMetres - WindProfile.layerMetres / 2 && metres <= topMetres
    }

    /// The wind at an altitude. Below the lowest layer it is the wind of that layer.
    func wind(at metres: Double) -> Wind { wind(at: metres, lowestHeard: .infinity) }

    /// The wind at an altitude. Below the lowest layer it is the wind of that layer if the flight was heard near the
    /// ground; else it follows ``WindShape``.
    /// - Parameter lowestHeard: the lowest altitude at which the flight was heard, metres.
    func wind(at metres: Double, lowestHeard: Double) -> Wind {
        guard let first = layers.first, let last = layers.last else { return Wind() }
        let half = WindProfile.layerMetres / 2
        if metres > last.centreMetres + half {
            let share = WindShape.share(at: metres) / WindShape.share(at: last.centreMetres)
            return Self.scaled(topWind, by: min(Self.highestGain, share))
        }
        if metres < first.centreMetres - half {
            let isNearGround =
                first.centreMetres < Self.lowMetres
                || first.centreMetres < lowestHeard + 1000 && lowestHeard < Self.lowestHeardMetres
            guard !isNearGround else { return Self.mean([first]) }
            return Self.scaled(
                bottom, by: min(1, WindShape.share(at: metres) / WindShape.share(at: first.centreMetres)))
        }
        return inside(metres)
    }

    private func inside(_ metres: Double) -> Wind {
        var (low, high) = (0, layers.count)
        while low < high {
            let middle = (low + high) / 2
            if layers[middle].centreMetres < metres { low = middle + 1 } else { high = middle }
        }
        let upper = layers[min(low, layers.count - 1)]
        let lower = layers[max(0, low - 1)]
        let (above, below) = (Self.mean([upper]), Self.mean([lower]))
        let distance = upper.centreMetres - lower.centreMetres
        let share = distance > 0 ? min(1, max(0, (metres - lower.centreMetres) / distance)) : 0
        return Wind(
            east: below.east + (above.east - below.east) * share,
            north: below.north + (above.north - below.north) * share)
    }

    private static func scaled(_ wind: Wind, by factor: Double) -> Wind {
        Wind(east: wind.east * factor, north: wind.north * factor)
    }

    private static func mean(_ layers: [Layer]) -> Wind {
        var sum = WindProfile.Drift()
        for layer in layers {
            sum.east += layer.drift.east
            sum.north += layer.drift.north
            sum.seconds += layer.drift.seconds
        }
        return sum.seconds > 0 ? Wind(east: sum.east / sum.seconds, north: sum.north / sum.seconds) : Wind()
    }
}

/// The wind's strength by altitude as a share of the jet stream's, averaged over many flights, seasons and places.
enum WindShape {
    /// Kilometres, share.
    private static let table: [(kilometres: Double, share: Double)] = [
        (0, 0.20), (3, 0.40), (5, 0.60), (7, 0.79), (9, 0.95), (10, 1.0), (12, 0.98), (14, 0.77), (16, 0.50),
        (18, 0.29), (20, 0.17), (22, 0.13),
    ]

    static func share(at metres: Double) -> Double {
        let kilometres = metres / 1000
        var below = table[0]
        for point in table {
            guard point.kilometres > kilometres else {
                below = point
                continue
            }
            guard point.kilometres > below.kilometres else { return point.share }
            let part = (kilometres - below.kilometres) / (point.kilometres - below.kilometres)
            return below.share + (point.share - below.share) * max(0, part)
        }
        return below.share
    }
}
