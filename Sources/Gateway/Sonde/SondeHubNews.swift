import FlightMath
import GatewayReports
import ReceiverProtocol

/// SondeHub's newest frame of the followed sonde.
struct SondeHubNews: Equatable, Sendable {
    /// A frame that was older when SondeHub answered counts as silence, not as a live position (specification 2.3,
    /// 3.5).
    static let silence = PositionReport.freshLimit

    /// The shortest time between two changes of ``lastAnswer`` by the stream.
    private static let answerSpacing = Duration.seconds(10)
    /// Sondes send once a second. Stations stamp a frame with times that differ by some milliseconds.
    private static let sameFrame = Duration.milliseconds(500)

    /// The newest frame.
    private(set) var record: SondeHubRecord?
    /// The frame's age when SondeHub answered.
    private var age = Duration.zero
    /// ``record`` repeats an earlier position as new.
    private(set) var isRepeat = false
    /// When the newest frame that is no repeat was heard: when it came, minus its age when SondeHub answered. The delay
    /// of a cache is not silence, so it does not count.
    private(set) var heardAt: MonotonicTime?
    /// When the answer with the frame came.
    private var at = MonotonicTime.zero
    /// Whether the latest answer contained the sonde.
    private(set) var isAvailable = false
    /// When an answer last contained the sonde.
    private(set) var lastAnswer: Moment?
    /// Whether ``record`` is published, or was too old to be.
    var isShown = false

    /// SondeHub answered with a frame of this sonde.
    /// - Returns: false if the frame is not newer.
    mutating func update(with latest: LatestRecord, isRepeat: Bool) -> Bool {
        answered(latest)
        if let record, latest.record.time < record.time { return false }
        // Another station's record of the same frame.
        if latest.isStreamed, let record, latest.record.time.duration(since: record.time) < Self.sameFrame {
            return false
        }
        let isNew = latest.record.time != record?.time
        // A cache may send the same frame again. The cache's delay is not silence, so the age does not grow by it.
        (record, age, at) = (latest.record, latest.age, latest.at.monotonic)
        if isNew { (isShown, self.isRepeat) = (false, isRepeat) }
        if !self.isRepeat { heardAt = at.advanced(by: .zero - age) }
        return isNew
    }

    /// SondeHub answered with a frame whose time is unknown. It shows that the sonde is heard.
    mutating func update(withUndated latest: LatestRecord) {
        answered(latest)
        heardAt = [heardAt, latest.at.monotonic.advanced(by: .zero - latest.age)].compactMap { $0 }.max()
    }

    private mutating func answered(_ latest: LatestRecord) {
        // The state shows the last answer, and a stream would change it with every frame.
        let isRecent = lastAnswer.map { latest.at.duration(since: $0) < Self.answerSpacing } ?? false
        if !isAvailable || !latest.isStreamed || !isRecent { lastAnswer = latest.at }
        isAvailable = true
    }

    /// SondeHub's answer was unusable or without this sonde, or the receiver hears the sonde and SondeHub is not asked.
    mutating func becomesUnavailable() {
        isAvailable = false
    }

    /// The age of ``record``.
    func age(at now: MonotonicTime) -> Duration { age + now.duration(since: at) }

    /// The age of ``record`` when SondeHub last answered with it.
    var ageWhenAnswered: Duration { age }
}

/// A frame of SondeHub, with its age when SondeHub answered.
struct LatestRecord: Equatable, Sendable {
    var record: SondeHubRecord
    var age: Duration
    /// When the answer came.
    var at: Moment
    /// SondeHub's serial for the followed sonde, if it differs from the receiver's.
    var otherName: SondeSerial?
    /// Whether it came over the live stream.
    var isStreamed = false

    var isFresh: Bool { age < SondeHubNews.silence }
}
