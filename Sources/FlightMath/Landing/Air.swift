import RealModule

/// The wind along a path: the flight's own winds, and those of another flight or a forecast.
///
/// | | ascent | fall |
/// | --- | --- | --- |
/// | above the highest own wind | the other winds, joined without a step | a forecast |
/// | where own winds are known | own winds | half own winds, half a forecast |
/// | below the lowest own wind | its wind, or ``WindShape`` | a forecast |
///
/// In the fall the own winds are up to two hours old and were met elsewhere. Another flight's winds are no better, but
/// the errors of a forecast are independent of theirs. Where it says nothing, the own winds count alone.
struct Air {
    /// Above the highest own wind, its difference from the other wind fades with this height, metres.
    private static let fadingMetres = 3000.0
    /// The weight of a forecast in the fall.
    private static let forecastWeight = 0.5

    let winds: Winds
    /// The lowest altitude at which the flight was heard, metres above sea level.
    let lowestHeard: Double
    private let above: Above?
    /// A forecast's winds in the fall.
    private let forecast: Winds?

    /// The origin of the winds, for the report.
    let sources: LandingPrediction.WindSources

    private struct Above {
        var other: Winds
        /// How far to trust the other winds, 0 ... 1.
        var weight: Double
        var topMetres: Double
        /// The own wind minus the other at the own top.
        var difference: Winds.Wind
    }

    /// - Parameters:
    ///   - other: the winds of another flight or a forecast; nil if they are unknown.
    ///   - isFalling: in the fall only a fresh forecast counts.
    init(_ winds: Winds, lowestHeard: Double, other: StoredWinds?, isFalling: Bool, at time: WallTime) {
        self.winds = winds
        self.lowestHeard = lowestHeard
        let isUsable = !isFalling || other.map { $0.origin == .forecast && $0.isFresh(at: time) } ?? false
        let other = isUsable ? other : nil
        var sources = LandingPrediction.WindSources(ownTopMetres: winds.topMetres)
        var above: Above?
        if let other, let top = winds.highestMetres {
            sources.other = other.origin
            sources.otherSerial = other.origin == .forecast ? nil : other.serial
            sources.otherAge = time.seconds(since: other.at)
            let known = Winds(other)
            let (own, its) = (winds.topWind, known.wind(at: top))
            above = Above(
                other: known, weight: other.weight(at: time), topMetres: top,
                difference: Winds.Wind(east: own.east - its.east, north: own.north - its.north))
        }
        forecast = isFalling ? above?.other : nil
        (self.sources, self.above) = (sources, isFalling ? nil : above)
    }

    /// A forecast's winds are joined with the own ones.
    var isJoined: Bool { forecast != nil }

    /// The lowest altitude whose wind is known, metres above sea level; nil if none is.
    var lowestKnownMetres: Double? {
        [winds.lowestMetres, forecast?.lowestMetres].compactMap { $0 }.min()
    }

    /// How much the other winds narrow the error radius, 0 ... 1; 0 without other winds.
    ///
    /// It is the square of their weight, because old winds narrow the radius less than they improve the path. It is
    /// multiplied by the square root of the share of the remaining climb that they cover, because the first part
    /// matters most: the wind is strongest there.
    func certainty(upTo burstMetres: Double) -> Double {
        guard let above, let highest = above.other.highestMetres, burstMetres > above.topMetres else { return 0 }
        let share = (highest - above.topMetres) / (burstMetres - above.topMetres)
        return above.weight * above.weight * min(1, max(0, share)).squareRoot()
    }

    func wind(at metres: Double) -> Winds.Wind {
        let own = winds.wind(at: metres, lowestHeard: lowestHeard)
        if let forecast, forecast.knows(metres) {
            let weight = winds.knows(metres) ? Self.forecastWeight : 1
            return Self.mean(own, forecast.wind(at: metres), weight: weight)
        }
        guard let above, metres > above.topMetres + WindProfile.layerMetres / 2 else { return own }
        var there = above.other.wind(at: metres)
        let fading = Double.exp(-(metres - above.topMetres) / Self.fadingMetres)
        there.east += above.difference.east * fading
        there.north += above.difference.north * fading
        return Self.mean(own, there, weight: above.weight)
    }

    private static func mean(_ own: Winds.Wind, _ other: Winds.Wind, weight: Double) -> Winds.Wind {
        Winds.Wind(
            east: (1 - weight) * own.east + weight * other.east,
            north: (1 - weight) * own.north + weight * other.north)
    }
}
