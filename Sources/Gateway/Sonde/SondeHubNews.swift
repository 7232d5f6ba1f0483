import FlightMath
import GatewayReports
import ReceiverProtocol

/// What SondeHub knows of the followed sonde: its newest frame, and the track that the gateway lacks.
struct SondeHubNews: Sendable {
    /// The shortest time between two changes of ``lastAnswer`` by the stream.
    private static let answerSpacing = Duration.seconds(10)
    /// Sondes send once a second. Stations stamp a frame with times that differ by some milliseconds.
    private static let sameFrame = Duration.milliseconds(500)

    /// The newest frame.
    private struct Newest: Sendable {
        var record: SondeHubRecord
        /// Its age when SondeHub answered.
        var age: Duration
        /// When the answer with it came.
        var at: MonotonicTime
        /// It repeats an earlier position as new.
        var isRepeat = false
        /// It is published, or was too old to be.
        var isShown = false
    }

    private var newest: Newest?
    /// When the newest frame that is no repeat was heard: when it came, minus its age when SondeHub answered. The delay
    /// of a cache is not silence, so it does not count.
    private(set) var heardAt: MonotonicTime?
    /// Whether the latest answer contained the sonde.
    private(set) var isAvailable = false
    /// When an answer last contained the sonde.
    private(set) var lastAnswer: Moment?
    var repeats = RepeatFilter()
    var gapFill = GapFill()
    /// The sonde's position came from SondeHub when this was last asked.
    private var wasSource = false

    var record: SondeHubRecord? { newest?.record }

    /// ``record`` repeats an earlier position as new.
    var isRepeat: Bool { newest?.isRepeat ?? false }

    /// SondeHub answered with a frame of this sonde. One whose time is unknown only shows that the sonde is heard.
    /// - Returns: false if the frame is not newer.
    mutating func update(with latest: LatestRecord) -> Bool {
        guard latest.record.isTimeKnown else {
            answered(latest)
            heardAt = .latest(heardAt, latest.heardAt.monotonic)
            return false
        }
        let isRepeat = latest.record.time != record?.time && repeats.isRepeat(latest.record)
        answered(latest)
        var next = Newest(
            record: latest.record, age: latest.age, at: latest.at.monotonic, isRepeat: isRepeat)
        if let known = newest {
            if next.record.time < known.record.time { return false }
            // Another station's record of the same frame.
            if latest.isStreamed, next.record.time.duration(since: known.record.time) < Self.sameFrame { return false }
            // A cache may send the same frame again. Its delay is not silence, so the age does not grow by it.
            if next.record.time == known.record.time {
                (next.isRepeat, next.isShown) = (known.isRepeat, known.isShown)
            }
        }
        let isNew = next.record.time != record?.time
        newest = next
        if !next.isRepeat { heardAt = next.at.advanced(by: .zero - next.age) }
        return isNew
    }

    /// Returns the newest frame once, to be published.
    mutating func recordToShow() -> SondeHubRecord? {
        guard let newest, !newest.isShown else { return nil }
        self.newest?.isShown = true
        return newest.record
    }

    /// - Returns: whether SondeHub has just become the source.
    mutating func becomes(source isSource: Bool) -> Bool {
        defer { wasSource = isSource }
        return isSource && !wasSource
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

    /// The age of ``record``; zero without one.
    func age(at now: MonotonicTime) -> Duration { newest.map { $0.age + now.duration(since: $0.at) } ?? .zero }

    /// The age of ``record`` when SondeHub last answered with it; zero without one.
    var ageWhenAnswered: Duration { newest?.age ?? .zero }
}

/// A frame of SondeHub, with its age when SondeHub answered.
struct LatestRecord: Equatable, Sendable {
    var record: SondeHubRecord
    var age: Duration
    /// When the answer came.
    var at: Moment
    /// Whether it came over the live stream.
    var isStreamed = false

    var isFresh: Bool { Silence(after: age) < .silent }
    /// When the sonde sent it.
    var heardAt: Moment { at.advanced(by: .zero - age) }
}
