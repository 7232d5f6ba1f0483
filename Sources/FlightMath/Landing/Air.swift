import RealModule

/// The wind along a path: the flight's own as far as it has met it, and above that what is known from other flights or
/// a forecast (specification 3.7).
struct Air {
    /// Above the own top, its difference from the other winds fades with this height, metres.
    private static let fadingMetres = 3000.0

    let winds: Winds
    /// The lowest altitude at which the flight was heard, metres above sea level.
    let lowestHeard: Double
    private let above: Above?

    /// What is known of the winds, for people.
    let sources: LandingPrediction.WindSources

    private struct Above {
        var other: Winds
        /// How far to trust them, 0 ... 1.
        var weight: Double
        var topMetres: Double
        /// The own wind minus the other at the own top.
        var difference: Winds.Wind
    }

    /// - Parameter other: used above the own top in an ascent, with its weight. Nil: unknown.
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

    /// How much the other winds make the landing surer, 0 ... 1: by their weight, of which old ones keep less than the
    /// winds do, and by the part of the way up to the burst that they know. The first part tells the most: the wind is
    /// strongest there. 0 without any.
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
