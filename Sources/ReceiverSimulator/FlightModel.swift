import RealModule
import ReceiverProtocol

/// A weather balloon's flight: launch, ascent, burst, descent under a parachute, landing. The same seed gives the same
/// flight.
///
/// The balloon drifts with a ``WindField``. The descent rate follows the thinning air (ICAO atmosphere) and grows
/// towards the ground, as measured on real radiosondes.
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
    /// Above the ground, metres.
    var heightMetres: Double { max(0, altitudeMetres - groundMetres) }
    /// m/s over ground.
    public private(set) var horizontalSpeed = 0.0
    /// m/s, positive up.
    public private(set) var verticalSpeed = 0.0
    public private(set) var phase = Phase.onGround
    /// The time since the simulation began.
    public private(set) var elapsed = Duration.zero
    /// The altitude at which the balloon bursts, metres.
    public let burstAltitudeMetres: Double

    private let launchAt: Duration
    private let ascentRate: Double
    /// The descent rate in air of sea-level density, m/s, as it is at 10 km altitude.
    private let descentRate: Double
    /// The exponent by which the descent rate grows over a fall of 10 km.
    private let descentGrowth: Double
    private let groundMetres: Double
    private let winds: WindField
    private var sinceBurst = Duration.zero

    /// - Parameters:
    ///   - launchDelay: the time on the launch pad.
    ///   - burstAltitudeMetres: metres; nil lets the seed choose between 24 and 34 km.
    public init(seed: UInt64, launchDelay: Duration = .seconds(30), burstAltitudeMetres: Double? = nil) {
        var random = SeededGenerator(seed: seed)
        // Payerne, where MeteoSwiss launches.
        latitude = 46.8131
        longitude = 6.9435
        altitudeMetres = 490
        groundMetres = 490
        launchAt = launchDelay
        ascentRate = Double.random(in: 4.5...5.8, using: &random)
        // Measured on radiosondes: they fall 2 to 9 m/s in air of sea-level density, with a median of 6.5 m/s; the
        // exponent of the growth is 0 to 0.4.
        descentRate = min(9, max(3.5, 6.5 * Double.exp(random.normal(0.25))))
        descentGrowth = Double.random(in: 0...0.35, using: &random)
        let chosen = Double.random(in: 24_000...34_000, using: &random)
        self.burstAltitudeMetres = burstAltitudeMetres ?? chosen
        winds = WindField(using: &random)
    }

    /// Advances the flight by `time`, in steps of at most a second.
    public mutating func advance(by time: Duration) {
        var left = time
        while left > .zero {
            let step = min(left, .seconds(1))
            advanceStep(step)
            left -= step
        }
    }

    private mutating func advanceStep(_ step: Duration) {
        elapsed += step
        switch phase {
        case .onGround:
            if elapsed >= launchAt { phase = .ascending }
        case .ascending:
            verticalSpeed = ascentRate * (1 + 0.05 * Double.sin(elapsed.inSeconds / 40))
            drift(step)
            if altitudeMetres >= burstAltitudeMetres { phase = .descending }
        case .descending:
            sinceBurst += step
            // First a free fall, then the parachute's terminal speed in air of this density. A radiosonde never falls
            // faster than about 60 m/s.
            let growth = Double.exp(descentGrowth * (10_000 - altitudeMetres) / 10_000)
            let terminal = min(60, descentRate * growth / airDensityRatio(altitudeMetres).squareRoot())
            verticalSpeed = -terminal * (1 - Double.exp(-sinceBurst.inSeconds / 8))
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

    private mutating func drift(_ step: Duration) {
        let seconds = step.inSeconds
        let wind = winds.wind(at: altitudeMetres, seconds: elapsed.inSeconds)
        horizontalSpeed = wind.speed
        altitudeMetres += verticalSpeed * seconds
        latitude += wind.north * seconds / 111_195
        longitude += wind.east * seconds / (111_195 * Double.cos(latitude * Double.pi / 180))
    }

    /// Air density relative to sea level, by the ICAO standard atmosphere; valid below 47 km.
    private func airDensityRatio(_ metres: Double) -> Double {
        switch metres {
        case ..<11_000: Double.pow(1 - 2.25577e-5 * metres, 4.2559)
        case ..<20_000: 0.29708 * Double.exp(-(metres - 11_000) / 6341.6)
        default: 0.07187 * Double.pow(1 + (metres - 20_000) / 216_650, -35.163)
        }
    }
}
