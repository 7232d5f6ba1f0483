public import FlightMath
public import GatewayReports
public import ReceiverProtocol

/// SondeHub's services: the newest sondes, whole tracks, the live stream, crews, launch sites, recoveries, and sharing
/// the car's position.
public protocol SondeHubSource: Sendable {
    /// - Throws: if the answer is late, unreadable or an error.
    func sondes(_ query: SondeHubQuery) async throws(OnlineServiceError) -> SondeHubAnswer
    /// Fetches a sonde's track and delivers its points while they stream in, in SondeHub's order. Each piece says, like
    /// the answer to a poll, when SondeHub answered and how many records were not usable.
    /// - Throws: as ``sondes(_:)``. Points that were delivered before are valid.
    func trackPieces(
        of serial: SondeSerial, last duration: TrackDuration, _ receive: (SondeHubAnswer) async -> Void
    ) async throws(OnlineServiceError)
    /// Delivers a sonde's frames within seconds, until the connection ends or the task is cancelled.
    /// - Parameter serial: SondeHub's name of the sonde.
    /// - Throws: always, because every connection ends some time.
    func stream(of serial: SondeSerial, _ receive: (SondeHubStreamNews) async -> Void) async throws(OnlineServiceError)
    /// The other crews near one of the places; the nearest to the first place comes first.
    func crews(near places: [Coordinate]) async throws(OnlineServiceError) -> [CrewPosition]
    /// Publishes the car's position on SondeHub, or removes it.
    func share(_ car: SharedCar) async throws(OnlineServiceError)
    /// All launch sites.
    func sites() async throws(OnlineServiceError) -> [LaunchSite]
    /// Reports of recovery: the newest of each sonde.
    func recoveries(_ query: RecoveryQuery) async throws(OnlineServiceError) -> [Recovery]
    /// Publishes a report of recovery.
    /// - Throws: `refused` if SondeHub does not accept it, for example because it does not know the sonde.
    func report(_ recovery: Recovery) async throws(OnlineServiceError)
    /// Releases its connections.
    func close() async
}

extension SondeHubSource {
    /// As ``trackPieces(of:last:_:)``, but with the points only.
    public func track(
        of serial: SondeSerial, last duration: TrackDuration, _ receive: ([SondeHubRecord]) async -> Void
    ) async throws(OnlineServiceError) {
        try await trackPieces(of: serial, last: duration) { piece in await receive(piece.records) }
    }

    public func crews(near places: [Coordinate]) async throws(OnlineServiceError) -> [CrewPosition] { [] }

    public func stream(
        of serial: SondeSerial, _ receive: (SondeHubStreamNews) async -> Void
    ) async throws(OnlineServiceError) {
        throw OnlineServiceError(.refused, "this source has no live stream")
    }
}

/// What SondeHub's live stream delivers.
public enum SondeHubStreamNews: Equatable, Sendable {
    /// The server has accepted the subscription.
    case opened
    /// Frames as they came, not from a cache. Its `dropped` counts the frames that came too fast.
    case frames(SondeHubAnswer)
    /// SondeHub's own prediction.
    case prediction(OnlinePrediction)
    /// Reports of the sonde's recovery.
    case recoveries([Recovery])
}

/// The sondes whose reports of recovery are asked for.
public enum RecoveryQuery: Equatable, Sendable {
    /// One sonde.
    case sonde(SondeSerial)
    /// The sondes of the last days within a radius, metres.
    case area(Coordinate, radiusMetres: Double)
}

/// The question of a poll.
public enum SondeHubQuery: Equatable, Sendable {
    /// The newest sondes of a launch site, by its WMO number.
    case site(String)
    /// The newest sondes within a radius, metres.
    case area(Coordinate, radiusMetres: Double)
    /// The newest record of each sonde within a radius in the last day, metres.
    case dayAround(Coordinate, radiusMetres: Double)
    /// The records of one sonde from the last minute.
    case sonde(SondeSerial)
}

/// The time spans that SondeHub's telemetry call accepts.
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

    /// The shortest span that covers `span`; three days at most.
    static func covering(_ span: Duration) -> TrackDuration {
        allCases.first { $0.duration >= span } ?? .threeDays
    }
}

/// An answer to a poll, or a piece of a track.
public struct SondeHubAnswer: Equatable, Sendable {
    /// The records; for a poll the newest, at most ``limit``.
    public var records: [SondeHubRecord]
    /// How long the answer lay in a cache (the `Age` header).
    public var cacheAge: Duration
    /// SondeHub's clock when it answered (the `Date` header).
    public var answeredAt: WallTime?
    /// The number of records that could not be read.
    public var skipped: Int
    /// The number of a poll's oldest records that were dropped beyond ``limit``.
    public var dropped = 0

    /// The most records in the answer to a poll.
    public static let limit = 640

    public init(records: [SondeHubRecord], cacheAge: Duration = .zero, answeredAt: WallTime? = nil, skipped: Int = 0) {
        self.records = records
        self.cacheAge = cacheAge
        self.answeredAt = answeredAt
        self.skipped = skipped
    }
}

/// SondeHub's record of one sonde at one instant. Missing values are nil.
public struct SondeHubRecord: Equatable, Sendable {
    public var serial: SondeSerial
    /// Has an empty name if SondeHub names no type; see ``reportedType``.
    public var sondeType: SondeType
    /// UTC. For a sonde that reports GPS time the leap seconds are subtracted.
    public var time: WallTime
    public var coordinate: Coordinate
    /// Metres above mean sea level.
    public var altitudeMetres: Double
    /// m/s.
    public var horizontalSpeed, verticalSpeed: Double?
    public var headingDegrees: Double?
    public var temperatureCelsius, humidityPercent, pressureHectopascal: Double?
    /// The nominal frequency; if that is missing, the measured one, MHz.
    public var frequencyMHz: Double?
    /// The sonde itself names ``frequencyMHz``; no station has measured it.
    public var isFrequencyNamed = false
    /// What the sonde's own timer leaves until it switches the sonde off, seconds; nil if it does not run.
    public var secondsUntilOff: Int?
    /// The callsign of the station that sent the record.
    public var station: String?
    /// The position of the station that sent the record.
    public var uploader: Coordinate?
    /// The altitude of its antenna, metres above mean sea level.
    public var uploaderAltitudeMetres: Double?
    /// The station's stamp, if ``time`` is from its clock; nil if the sonde itself sends the time.
    public var stamp: StationStamp?
    /// False if ``time`` is from a station's clock that the gateway can't compare with others.
    public var isTimeKnown = true

    /// The type to publish; nil if SondeHub names none.
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
