import RealModule

/// The wind over a flight's area by altitude and time. The same seed gives the same wind.
///
/// It is the sum of three streams, each with its own direction (one near the ground, a jet stream near the tropopause,
/// and the weak wind of the stratosphere), and of small eddies for each kilometre of altitude. All streams turn and
/// swell slowly, so a forecast made from the ascent is good but never perfect.
struct WindField: Sendable {
    /// The wind's velocity towards east and towards north, m/s.
    struct Wind: Equatable, Sendable {
        var east = 0.0
        var north = 0.0

        var speed: Double { (east * east + north * north).squareRoot() }
    }

    private struct Stream {
        /// m/s.
        var speed: Double
        /// The direction the stream blows to, radians clockwise from north.
        var direction: Double
    }

    private static let highestKilometre = 40

    private let ground, jet, stratosphere: Stream
    /// The altitude of the jet stream's core and its depth, metres.
    private let jetMetres, jetDepth: Double
    private let eddies: [Wind]
    /// The period of the slow change, seconds, and its phase at the beginning, radians.
    private let period, phase: Double

    init(using random: inout SeededGenerator) {
        let heading = Double.random(in: 0..<(2 * Double.pi), using: &random)
        ground = Stream(speed: Double.random(in: 2...7, using: &random), direction: heading - random.normal(0.7))
        jet = Stream(speed: Double.random(in: 10...38, using: &random), direction: heading)
        stratosphere = Stream(
            speed: Double.random(in: 2...9, using: &random), direction: heading + random.normal(1.2))
        jetMetres = Double.random(in: 9500...12_000, using: &random)
        jetDepth = Double.random(in: 3500...5500, using: &random)
        eddies = (0...Self.highestKilometre).map { _ in Wind(east: random.normal(0.8), north: random.normal(0.8)) }
        period = Double.random(in: 9000...18_000, using: &random)
        phase = Double.random(in: 0..<(2 * Double.pi), using: &random)
    }

    /// - Parameters:
    ///   - metres: altitude above mean sea level.
    ///   - seconds: the time since the simulation began.
    func wind(at metres: Double, seconds: Double) -> Wind {
        let swing = Double.sin(phase + 2 * .pi * seconds / period)
        var wind = eddy(at: metres)
        let shares = [
            (ground, Double.exp(-max(0, metres) / 3000)),
            (jet, Double.exp(-Double.pow((metres - jetMetres) / jetDepth, 2))),
            (stratosphere, 1 / (1 + Double.exp((16_000 - metres) / 1500))),
        ]
        for (stream, share) in shares {
            let speed = stream.speed * share * (1 + 0.08 * swing)
            let direction = stream.direction + 0.06 * swing
            wind.east += speed * Double.sin(direction)
            wind.north += speed * Double.cos(direction)
        }
        return wind
    }

    private func eddy(at metres: Double) -> Wind {
        let height = min(Double(Self.highestKilometre - 1), max(0, metres / 1000))
        let layer = Int(height)
        let share = height - Double(layer)
        let (lower, upper) = (eddies[layer], eddies[layer + 1])
        return Wind(
            east: lower.east + (upper.east - lower.east) * share,
            north: lower.north + (upper.north - lower.north) * share)
    }
}
