import FlightMath
import GatewayReports
import ReceiverProtocol

/// Chooses the record to use from one answer of SondeHub.
///
/// The first rule that finds a record is used:
///
/// | rule | record |
/// | --- | --- |
/// | hunted | the newest of the hunted sonde; no other sonde is used |
/// | chosen before | the followed sonde, while its record is fresh and it is not on the ground |
/// | heard here | the nearest fresh one in the air that the receiver could hear |
/// | flying | the nearest fresh one in the air |
/// | stays | the followed sonde, while its record is fresh |
/// | landed | the nearest fresh one, else the newest |
///
/// Tests on the ground are left out of the last five. The second rule keeps two sondes in the air from alternating, and
/// the fifth two on the ground: one in its finder's car does not replace one that has just landed. While nobody knows
/// where the receiver is, the newest stands for the nearest.
struct SondeHubChoice {
    /// A sonde this near to its uploader may be on a test bench, metres.
    static let groundTestMetres = 1000.0
    /// A test is at most this much higher or lower than its uploader, metres.
    static let groundTestHeight = 300.0
    /// If the uploader's altitude is unknown, a test is below this altitude, metres.
    static let groundTestAltitude = 2000.0
    /// The followed sonde is kept while its record is younger than this.
    static let keepLimit = PositionReport.freshLimit
    /// A falling sonde whose newest record is older has landed.
    static let recent = Duration.seconds(1800)

    /// Whether a sonde that is heard now flies: by its phase, or because nothing rests so high.
    static func isInTheAir(_ phase: FlightPhase, atMetres metres: Double) -> Bool {
        phase.isFlying || phase == .unknown && metres >= Resting.highestMetres
    }

    /// A record that was left out, and its distance from the uploader.
    struct GroundTest: Equatable {
        var record: SondeHubRecord
        var metres: Double
    }

    /// A record and its age when SondeHub answered.
    struct Candidate: Equatable {
        var record: SondeHubRecord
        var age: Duration

        var isFresh: Bool { age <= SondeHubChoice.keepLimit }
        /// False if the record holds no speeds.
        var isAtRest: Bool {
            guard let horizontal = record.horizontalSpeed, let vertical = record.verticalSpeed else { return false }
            return Resting.includes(horizontal: horizontal, vertical: vertical)
                && record.altitudeMetres < Resting.highestMetres
        }
        /// False if a car may carry the sonde.
        var isInTheAir: Bool {
            guard record.altitudeMetres < Resting.highestMetres, let vertical = record.verticalSpeed else {
                return !isAtRest
            }
            return !Resting.isLevel(vertical)
        }
    }

    /// Only this sonde is used; nil if none is hunted.
    var hunted: SondeSerial?
    /// The sonde that is followed.
    var followed: SondeSerial?
    var followedPhase = FlightPhase.unknown
    /// Where the receiver is; nil if nobody knows.
    var place: ReceiverPlace?

    /// - Returns: the record to use, nil if there is none, and the records left out as tests on the ground.
    func newest(of candidates: [Candidate]) -> (record: SondeHubRecord?, groundTests: [GroundTest]) {
        if let hunted { return (Self.newest(candidates.filter { $0.record.serial == hunted })?.record, []) }
        var groundTests: [GroundTest] = []
        let usable = candidates.filter { candidate in
            guard let test = groundTest(candidate) else { return true }
            groundTests.append(test)
            return false
        }
        let fresh = usable.filter(\.isFresh)
        let own = fresh.filter { $0.record.serial == followed }
        let flying = fresh.filter(\.isInTheAir)
        let choice =
            Self.newest(own.filter { !isOnGround($0) }) ?? nearest(flying.filter(canBeHeard)) ?? nearest(flying)
            ?? Self.newest(own) ?? nearest(fresh) ?? Self.newest(usable)
        return (choice?.record, groundTests)
    }

    /// Whether the followed sonde has landed, or was never seen in flight and is at rest.
    private func isOnGround(_ candidate: Candidate) -> Bool {
        followedPhase == .landed || followedPhase == .unknown && candidate.isAtRest
    }

    private func canBeHeard(_ candidate: Candidate) -> Bool {
        place?.canHear(candidate.record.coordinate, at: candidate.record.altitudeMetres) ?? true
    }

    private func nearest(_ candidates: [Candidate]) -> Candidate? {
        guard let place else { return Self.newest(candidates) }
        func metres(_ candidate: Candidate) -> Double {
            place.coordinate.distanceMetres(to: candidate.record.coordinate)
        }
        return candidates.min { (metres($0), $1.record.time) < (metres($1), $0.record.time) }
    }

    private static func newest(_ candidates: [Candidate]) -> Candidate? {
        candidates.max { $0.record.time < $1.record.time }
    }

    /// A sonde near its uploader and at its height that neither climbs nor falls is a test on the ground. If it is
    /// known to have flown, it is no test, but lies beside its finder.
    func groundTest(_ candidate: Candidate) -> GroundTest? {
        let record = candidate.record
        guard let uploader = record.uploader, record.serial != followed || followedPhase == .unknown else { return nil }
        let metres = record.coordinate.distanceMetres(to: uploader)
        let isAtItsHeight =
            record.uploaderAltitudeMetres.map { abs(record.altitudeMetres - $0) <= Self.groundTestHeight }
            ?? (record.altitudeMetres < Self.groundTestAltitude)
        let isLevel = record.verticalSpeed.map(Resting.isLevel) ?? true
        guard metres < Self.groundTestMetres, isAtItsHeight, isLevel else { return nil }
        return GroundTest(record: record, metres: metres)
    }
}
