/// Finds the topic over which the broker hangs up. A cloud broker's policy ends the session instead of refusing one
/// message, whatever its size.
///
/// | event | consequence |
/// | --- | --- |
/// | ``ends`` sessions in a row end with messages of a topic under way | the topic is suspected: its messages go alone |
/// | the session ends while such a message is alone under way | the topic is left out for ``leaveOutTime`` |
/// | such a message is acknowledged, and the session stands | the topic is not suspected any more |
/// | that time is over | the topic is suspected again |
/// | the broker is away | nothing is suspected; what is left out stays so |
/// | another client uses our id | nothing is suspected, and what this row of ends has left out comes back |
struct HangUpTopics: Equatable {
    static let ends = 3
    static let leaveOutTime = Duration.seconds(3600)
    /// The most topics that are left out. Beyond that the oldest comes back.
    static let limit = 50

    private struct Exile: Equatable {
        var topic: String
        var until: ContinuousClock.Instant
    }

    /// The topics under way at the last ends, at most ``ends``.
    private var underWay: [Set<String>] = []
    private var suspects: Set<String> = []
    private var leftOut: [Exile] = []
    /// The topics left out in this row of ends.
    private var recent: Set<String> = []

    var areLeftOut: [String] { leftOut.map(\.topic).sorted() }

    func isSuspected(_ topic: String) -> Bool { suspects.contains(topic) }

    mutating func leavesOut(_ topic: String, at now: ContinuousClock.Instant) -> Bool {
        guard let place = leftOut.firstIndex(where: { $0.topic == topic }) else { return false }
        if now < leftOut[place].until { return true }
        leftOut.remove(at: place)
        suspects.insert(topic)
        return false
    }

    mutating func leaveOut(_ topic: String, at now: ContinuousClock.Instant) {
        leftOut.removeAll { $0.topic == topic }
        leftOut.append(Exile(topic: topic, until: now + Self.leaveOutTime))
        if leftOut.count > Self.limit { leftOut.removeFirst() }
    }

    /// The broker ended the session.
    /// - Parameters:
    ///   - topics: of the messages that were under way.
    ///   - alone: the suspected topic whose message was alone under way; nil if there was none.
    /// - Returns: whether the topic is left out now.
    mutating func sessionEnded(_ topics: Set<String>, alone: String?, at now: ContinuousClock.Instant) -> Bool {
        if let alone, suspects.remove(alone) != nil {
            leaveOut(alone, at: now)
            recent.insert(alone)
            return true
        }
        underWay = topics.isEmpty ? [] : underWay.suffix(Self.ends - 1) + [topics]
        guard underWay.count == Self.ends else { return false }
        suspects.formUnion(underWay.dropFirst().reduce(underWay[0]) { $0.intersection($1) })
        return false
    }

    /// The broker has taken a suspected topic's message, and the session stands.
    mutating func passed(_ topic: String) {
        suspects.remove(topic)
        if suspects.isEmpty { underWay = [] }
    }

    /// The session has stood for long, so the row of ends is over.
    mutating func sessionStands() { recent = [] }

    mutating func brokerIsAway() { (underWay, suspects) = ([], []) }

    mutating func isRival() {
        (underWay, suspects) = ([], [])
        leftOut.removeAll { recent.contains($0.topic) }
        recent = []
    }
}
