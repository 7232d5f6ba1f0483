public import FlightMath
public import ReceiverProtocol

/// The sondes around by SondeHub, with those of the last day that have landed; the nearest first.
public struct SondesReport: Equatable, Sendable {
    /// The most sondes in a report.
    public static let limit = 30
    /// The time between two reports.
    public static let spacing = Duration.seconds(10)

    public struct Sonde: Equatable, Sendable {
        public var serial: SondeSerial
        /// Nil if SondeHub names none.
        public var sondeType: SondeType?
        public var frequencyMHz: Double?
        public var coordinate: Coordinate
        /// Metres above mean sea level.
        public var altitudeMetres: Double
        /// m/s; nil for a type that reports none.
        public var verticalSpeed: Double?
        public var phase: FlightPhase
        /// The time of the newest frame.
        public var time: WallTime
        /// The same instant on the monotonic clock, for the age.
        public var heardAt: MonotonicTime
        /// Distance and direction from the car, else from the configured place; nil without either.
        public var relative: Relative?
        /// SondeHub's prediction, for the followed sonde the gateway's own landing point; nil if there is none.
        public var landing: Landing?
        /// What somebody has reported of its recovery; nil if nobody has.
        public var recovery: RecoveryState?
        /// The gateway follows it.
        public var isHunted: Bool

        public init(
            serial: SondeSerial, sondeType: SondeType?, coordinate: Coordinate, altitudeMetres: Double,
            phase: FlightPhase, time: WallTime, heardAt: MonotonicTime, isHunted: Bool = false
        ) {
            self.serial = serial
            self.sondeType = sondeType
            self.coordinate = coordinate
            self.altitudeMetres = altitudeMetres
            self.phase = phase
            self.time = time
            self.heardAt = heardAt
            self.isHunted = isHunted
        }
    }

    /// Distance and direction over ground, metres and degrees from north.
    public struct Relative: Equatable, Sendable {
        public var metres, degrees: Double

        public init(metres: Double, degrees: Double) {
            self.metres = metres
            self.degrees = degrees
        }
    }

    public struct Landing: Equatable, Sendable {
        public var coordinate: Coordinate
        public var at: WallTime?

        public init(_ coordinate: Coordinate, at time: WallTime?) {
            self.coordinate = coordinate
            at = time
        }
    }

    /// At most ``limit``.
    public var sondes: [Sonde]

    public init(_ sondes: [Sonde] = []) {
        self.sondes = sondes
    }

    func payload(at now: MonotonicTime) -> [UInt8] {
        var json = JSONText()
        json.array("sondes", sondes[...]) { list, sonde in list.object { sonde.fields(&$0, at: now) } }
        return json.object
    }
}

extension SondesReport.Sonde {
    fileprivate func fields(_ json: inout JSONText, at now: MonotonicTime) {
        json.field("serial", serial.canonical)
        json.field("sonde_type", sondeType?.name)
        json.field("frequency_mhz", frequencyMHz, decimals: 3)
        json.fields(of: coordinate)
        json.field("altitude_m", altitudeMetres, decimals: 1)
        json.field("vertical_speed_mps", verticalSpeed, decimals: 2)
        json.field("phase", phase.rawValue)
        json.field("time", time)
        json.field("age_ms", Int(clamping: max(0, now.duration(since: heardAt).wholeMilliseconds)))
        json.field("distance_m", relative?.metres, decimals: 1)
        json.field("bearing_deg", relative?.degrees, decimals: 1)
        json.field("landing", landing) { inner, landing in
            inner.fields(of: landing.coordinate)
            inner.field("at", landing.at)
        }
        json.field("recovery", recovery?.rawValue)
        json.field("hunted", isHunted)
    }
}
