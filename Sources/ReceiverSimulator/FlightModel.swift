import RealModule

/// A weather balloon's flight: launch, ascent, burst, descent under a parachute, landing; reproducible by seed.
///
/// Winds come in layers with a jet stream near 11 km; the descent rate follows the thinning air (ICAO atmosphere).
public struct FlightModel: Sendable {
    public enum Phase: String, Sendable {
        case onGround, ascending, descending, landed
    }

    /// Degrees, WGS84.
    public private(set) var latitude: Double
    /// Degrees, WGS84.
    public private(set) var longitude: Double
    /// Metres above mean sea level.
    public private(set) var altitudeMetres: Double
    /// m/s over ground.
    public private(set) var horizontalSpeed = 0.0
    /// m/s, positive up.
    public private(set) var verticalSpeed = 0.0
    public private(set) var phase = Phase.onGround
    /// Seconds since the model began.
    public private(set) var elapsed = 0.0
    /// Where the balloon bursts, metres.
    public let burstAltitudeMetres: Double

    private let launchAt: Double
    private let ascentRate: Double
    private let seaLevelDescentRate: Double
    private let groundMetres: Double
    private let winds: [(east: Double, north: Double)]
    private var sinceBurst = 0.0

    private static let layerMetres = 1000.0

    /// - Parameters:
    ///   - launchDelay: seconds on the launch pad.
    ///   - burstAltitudeMetres: nil lets the seed choose, 24 to 34 km.
    public init(seed: UInt64, launchDelay: Double = 30, burstAltitudeMetres: Double? = nil) {
        var random = SeededGenerator(seed: seed)
        // Payerne, where MeteoSwiss launches.
        latitude = 46.8131
        longitude = 6.9435
        altitudeMetres = 490
        groundMetres = 490
        launchAt = launchDelay
        ascentRate = Double.random(in: 4.5...5.8, using: &random)
        seaLevelDescentRate = Double.random(in: 4.5...7, using: &random)
        let chosen = Double.random(in: 24_000...34_000, using: &random)
        self.burstAltitudeMetres = burstAltitudeMetres ?? chosen
        let heading = Double.random(in: 0..<(2 * Double.pi), using: &random)
        let jet = Double.random(in: 10...35, using: &random)
        winds = (0...40).map { layer in
            let height = Double(layer)
            let speed = 3 + jet * Double.exp(-Double.pow((height - 11) / 5, 2)) + random.normal(0.8)
            let direction = heading + random.normal(0.12) + height * 0.01
            return (speed * Double.sin(direction), speed * Double.cos(direction))
        }
    }

    /// Lets `seconds` pass.
    public mutating func advance(by seconds: Double) {
        var left = seconds
        while left > 0 {
            let step = min(left, 1)
            advanceStep(step)
            left -= step
        }
    }

    private mutating func advanceStep(_ step: Double) {
        elapsed += step
        switch phase {
        case .onGround:
            if elapsed >= launchAt { phase = .ascending }
        case .ascending:
            verticalSpeed = ascentRate * (1 + 0.05 * Double.sin(elapsed / 40))
            drift(step)
            if altitudeMetres >= burstAltitudeMetres { phase = .descending }
        case .descending:
            sinceBurst += step
            // Free fall first, then the parachute's terminal speed in air of this density; a radiosonde never falls
            // faster than about 60 m/s.
            let terminal = min(60, seaLevelDescentRate / airDensityRatio(altitudeMetres).squareRoot())
            verticalSpeed = -terminal * (1 - Double.exp(-sinceBurst / 8))
            drift(step)
            if altitudeMetres <= groundMetres {
                altitudeMetres = groundMetres
                phase = .landed
            }
        case .landed:
            horizontalSpeed = 0
            verticalSpeed = 0
        }
    }

    private mutating func drift(_ step: Double) {
        let layer = min(Double(winds.count - 2), max(0, altitudeMetres / Self.layerMetres))
        let lower = winds[Int(layer)]
        let upper = winds[Int(layer) + 1]
        let share = layer - layer.rounded(.down)
        let east = lower.east + (upper.east - lower.east) * share
        let north = lower.north + (upper.north - lower.north) * share
        horizontalSpeed = (east * east + north * north).squareRoot()
        altitudeMetres += verticalSpeed * step
        latitude += north * step / 111_195
        longitude += east * step / (111_195 * Double.cos(latitude * Double.pi / 180))
    }

    /// Air density relative to sea level, ICAO standard atmosphere below 47 km.
    private func airDensityRatio(_ metres: Double) -> Double {
        switch metres {
        case ..<11_000: Double.pow(1 - 2.25577e-5 * metres, 4.2559)
        case ..<20_000: 0.29708 * Double.exp(-(metres - 11_000) / 6341.6)
        default: 0.07187 * Double.pow(1 + (metres - 20_000) / 216_650, -35.163)
        }
    }
}
