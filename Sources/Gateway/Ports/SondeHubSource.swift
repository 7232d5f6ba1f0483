public import FlightMath
public import GatewayReports
public import ReceiverProtocol

/// SondeHub as the gateway needs it: short answers to polls, and whole tracks piece by piece.
public protocol SondeHubSource: Sendable {
    /// - Throws: the answer was late, unreadable or an error.
    func sondes(_ query: SondeHubQuery) async throws(OnlineServiceError) -> SondeHubAnswer
    /// Fetches a sonde's track and hands its points on while they stream in, in SondeHub's order. Each piece tells, like
    /// the answer to a poll, when SondeHub answered and how many records could not be used.
    /// - Throws: as above; points handed on before stay good.
    func trackPieces(
        of serial: SondeSerial, last duration: TrackDuration, _ receive: (SondeHubAnswer) async -> Void
    ) async throws(OnlineServiceError)
    /// Tells its users where the car is, or takes that back.
    func share(_ car: SharedCar) async throws(OnlineServiceError)
    /// Releases its connections.
    func close() async
}

extension SondeHubSource {
    /// As ``trackPieces(of:last:_:)``, for whoever needs the points alone.
    public func track(
        of serial: SondeSerial, last duration: TrackDuration, _ receive: ([SondeHubRecord]) async -> Void
    ) async throws(OnlineServiceError) {
        try await trackPieces(of: serial, last: duration) { piece in await receive(piece.records) }
    }
}

/// What a poll asks for.
public enum SondeHubQuery: Equatable, Sendable {
    /// The newest sondes of a launch site, by its WMO number.
    case site(String)
    /// The newest sondes within a radius, metres.
    case area(Coordinate, radiusMetres: Double)
    /// The newest of one sonde, of the last minute.
    case sonde(SondeSerial)
}

/// The spans that SondeHub's telemetry call knows.
public enum TrackDuration: String, CaseIterable, Sendable {
    case quarterMinute = "15s"
    case minute = "1m"
    case halfHour = "30m"
    case hour = "1h"
    case threeHours = "3h"
    case sixHours = "6h"
    case halfDay = "12h"
    case day = "1d"
    case threeDays = "3d"

    public var duration: Duration {
        switch self {
        case .quarterMinute: .seconds(15)
        case .minute: .seconds(60)
        case .halfHour: .seconds(1800)
        case .hour: .seconds(3600)
        case .threeHours: .seconds(10_800)
        case .sixHours: .seconds(21_600)
        case .halfDay: .seconds(43_200)
        case .day: .seconds(86_400)
        case .threeDays: .seconds(259_200)
        }
    }

    /// The smallest that covers `span`; three days at most.
    static func covering(_ span: Duration) -> TrackDuration {
        allCases.first { $0.duration >= span } ?? .threeDays
    }
}

/// An answer to a poll, or a piece of a track.
public struct SondeHubAnswer: Equatable, Sendable {
    /// Of a poll at most ``limit``, the newest.
    public var records: [SondeHubRecord]
    /// How long the answer lay in a cache (the `Age` header).
    public var cacheAge: Duration
    /// SondeHub's clock when it answered (the `Date` header).
    public var answeredAt: WallTime?
    /// Records that could not be read.
    public var skipped: Int
    /// Records of a poll beyond ``limit``, the oldest.
    public var dropped = 0

    /// The records that the answer to a poll holds at most.
    public static let limit = 256

    public init(records: [SondeHubRecord], cacheAge: Duration = .zero, answeredAt: WallTime? = nil, skipped: Int = 0) {
        self.records = records
        self.cacheAge = cacheAge
        self.answeredAt = answeredAt
        self.skipped = skipped
    }
}

/// One sonde at one instant, as SondeHub tells it. What is missing there is nil.
public struct SondeHubRecord: Equatable, Sendable {
    public var serial: SondeSerial
    /// Of an empty name when SondeHub names none; see ``reportedType``.
    public var sondeType: SondeType
    /// UTC, leap seconds taken off where the sonde reports GPS time.
    public var time: WallTime
    public var coordinate: Coordinate
    /// Metres above mean sea level.
    public var altitudeMetres: Double
    /// m/s.
    public var horizontalSpeed, verticalSpeed: Double?
    public var headingDegrees: Double?
    public var temperatureCelsius, humidityPercent, pressureHectopascal: Double?
    /// The nominal frequency, else the measured one, MHz.
    public var frequencyMHz: Double?
    /// Where the station stands that sent the record.
    public var uploader: Coordinate?
    /// Its antenna, metres above mean sea level.
    public var uploaderAltitudeMetres: Double?

    /// The type to publish and to speak; nil when SondeHub names none.
    public var reportedType: SondeType? { sondeType.name.isEmpty ? nil : sondeType }

    public init(
        serial: SondeSerial, sondeType: SondeType, time: WallTime, coordinate: Coordinate, altitudeMetres: Double
    ) {
        self.serial = serial
        self.sondeType = sondeType
        self.time = time
        self.coordinate = coordinate
        self.altitudeMetres = altitudeMetres
    }
}
