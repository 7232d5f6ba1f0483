import FlightMath
import GatewayReports
import ReceiverProtocol

/// What SondeHub says of the followed sonde.
struct SondeHubNews: Equatable, Sendable {
    /// A frame older than this when SondeHub answered is silence, no live position (specification 2.3, 3.5).
    static let silence = PositionReport.freshLimit

    /// Its newest frame.
    private(set) var record: SondeHubRecord?
    /// How old that was when SondeHub answered.
    private var age = Duration.zero
    /// When the answer with it came.
    private var at = MonotonicTime.zero
    /// The latest answer held the sonde.
    private(set) var isAvailable = false
    /// When an answer last did.
    private(set) var lastAnswer: Moment?
    /// ``record`` is published, or was too old for it.
    var isShown = false

    /// SondeHub answered with a frame of this sonde.
    /// - Returns: false when it is none that is newer.
    mutating func update(with latest: LatestRecord) -> Bool {
        isAvailable = true
        lastAnswer = latest.at
        if let record, latest.record.time < record.time { return false }
        let isNew = latest.record.time != record?.time
        // The same frame out of a cache: its age when SondeHub answered is no longer silence than before.
        (record, age, at) = (latest.record, latest.age, latest.at.monotonic)
        if isNew { isShown = false }
        return isNew
    }

    /// SondeHub gave no usable answer, or none with this sonde; or the receiver speaks, and SondeHub is not asked.
    mutating func becomesUnavailable() {
        isAvailable = false
    }

    /// Of ``record``, now.
    func age(at now: MonotonicTime) -> Duration { age + now.duration(since: at) }

    /// When the newest frame was heard, less what it lay in a cache: a cache's delay is not silence.
    var heardAt: MonotonicTime? { record == nil ? nil : at.advanced(by: .zero - age) }
}

/// A frame of SondeHub, and how old it was when SondeHub answered.
struct LatestRecord: Equatable, Sendable {
    var record: SondeHubRecord
    var age: Duration
    /// When the answer came.
    var at: Moment
    /// SondeHub's name for the followed sonde, if that is another one.
    var otherName: SondeSerial?
}
