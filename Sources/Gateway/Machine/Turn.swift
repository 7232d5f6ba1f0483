import FlightMath
import GatewayReports
import ReceiverProtocol

/// What one event brings about. Handed along while the event is handled; the machine empties it at the end.
struct Turn {
    let now: Moment
    private(set) var actions: [GatewayAction] = []
    private(set) var calls: Calls
    private(set) var speech: Speech
    /// Where the crew is, for what is said.
    var car: CarPosition?
    /// Happenings to be counted for health.
    private(set) var counted: [Counter] = []
    /// Refusals to be counted for health: reason -> how many; negative takes some back.
    private(set) var refusals: [(reason: String, count: Int)] = []

    init(at now: Moment, calls: Calls, speech: Speech = Speech()) {
        self.now = now
        self.calls = calls
        self.speech = speech
    }

    mutating func report(_ report: Report) {
        actions.append(.report(report))
    }

    /// Says what happened, to people and programs.
    /// - Parameter isNews: false for what is published only, and not worth a sentence.
    /// - Returns: whether that was the last to be said of it: aloud, or because nobody wants to hear such.
    @discardableResult
    mutating func announce(_ announcement: Announcement, isNews: Bool = true) -> Bool {
        let isSaid = isNews && speech.says(announcement.event, at: now.monotonic)
        let report = AnnouncementReport(announcement: announcement, at: now, speak: isSaid, isNews: isNews, car: car)
        actions.append(.report(.announcement(report)))
        return isSaid || (isNews && speech.quiet.contains(announcement.event))
    }

    /// From now on these events are not said aloud.
    mutating func quieten(_ events: Set<EventName>) {
        speech.quiet = events
    }

    mutating func record(_ entry: FlightLogEntry) {
        actions.append(.record(entry))
    }

    mutating func write(_ id: WriteID, _ bytes: [UInt8]) {
        actions.append(.write(id, bytes))
    }

    mutating func closeLink(_ session: Int, _ loss: LinkLoss) {
        actions.append(.closeLink(session: session, loss))
    }

    mutating func call(_ request: Request, for owner: Calls.Owner) -> CallID {
        let id = calls.begin(for: owner)
        actions.append(.call(id, request))
        return id
    }

    /// Takes no answer to it any more.
    mutating func cancel(_ id: CallID) {
        if calls.cancel(id) { actions.append(.cancel(id)) }
    }

    /// - Returns: who waits for the answer; nil if nobody does (any more).
    mutating func owner(of answer: Answer, to id: CallID) -> Calls.Owner? { calls.owner(of: answer, to: id) }

    mutating func note(
        _ level: GatewayNote.Level, _ message: String, _ facts: KeyValuePairs<String, String> = [:]
    ) {
        actions.append(.note(GatewayNote(level, message, facts)))
    }

    mutating func count(_ counter: Counter) {
        counted.append(counter)
    }

    /// A frame, or its position, was refused.
    mutating func refuse(_ reason: String, count: Int = 1) {
        refusals.append((reason, count))
    }

    mutating func perform(_ other: [GatewayAction]) {
        actions += other
    }
}
