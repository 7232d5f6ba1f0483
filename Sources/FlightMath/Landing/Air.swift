import RealModule

/// The wind along a path: the flight's own winds up to the highest that it has met, and above them the winds of another
/// flight or a forecast (specification 3.7).
struct Air {
    /// Above the highest own wind, its difference from the other wind fades with this height, metres.
    private static let fadingMetres = 3000.0

    let winds: Winds
    /// The lowest altitude at which the flight was heard, metres above sea level.
    let lowestHeard: Double
    private let above: Above?

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

    /// - Parameter other: the winds above the highest own one, for an ascent; nil if they are unknown.
    init(_ winds: Winds, lowestHeard: Double, other: StoredWinds?, at time: WallTime) {
        self.winds = winds
        self.lowestHeard = lowestHeard
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
        (self.sources, self.above) = (sources, above)
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
        guard let above, metres > above.topMetres + WindProfile.layerMetres / 2 else { return own }
        let there = above.other.wind(at: metres)
        let fading = Double.exp(-(metres - above.topMetres) / Self.fadingMetres)
        return Winds.Wind(
            east: (1 - above.weight) * own.east + above.weight * (there.east + above.difference.east * fading),
            north: (1 - above.weight) * own.north + above.weight * (there.north + above.difference.north * fading))
    }
}
