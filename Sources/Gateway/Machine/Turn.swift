import FlightMath
import GatewayReports
import ReceiverProtocol

/// Collects the effects of one event while it is handled. The machine empties it at the end.
struct Turn {
    let now: Moment
    private(set) var actions: [GatewayAction] = []
    private(set) var calls: Calls
    private(set) var speech: Speech
    /// The car's position, for sentences.
    var car: CarPosition?
    /// The counters to increment for health.
    private(set) var counted: [Counter] = []
    /// The refusals to count for health: reason and number. A negative number corrects an earlier count.
    private(set) var refusals: [(reason: String, count: Int)] = []

    init(at now: Moment, calls: Calls, speech: Speech = Speech()) {
        self.now = now
        self.calls = calls
        self.speech = speech
    }

    mutating func report(_ report: Report) {
        actions.append(.report(report))
    }

    /// Announces an event to people and programs.
    /// - Parameter isNews: false for an event that is only published and never spoken.
    /// - Returns: whether the announcement is complete: it was spoken, or the configuration silences the event.
    @discardableResult
    mutating func announce(_ announcement: Announcement, isNews: Bool = true) -> Bool {
        let isSaid = isNews && speech.says(announcement.event, at: now.monotonic)
        let report = AnnouncementReport(announcement: announcement, at: now, speak: isSaid, isNews: isNews, car: car)
        actions.append(.report(.announcement(report)))
        return isSaid || (isNews && speech.quiet.contains(announcement.event))
    }

    /// From now on these events are not spoken.
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

    /// Cancels a call.
    mutating func cancel(_ id: CallID) {
        if calls.cancel(id) { actions.append(.cancel(id)) }
    }

    /// - Returns: the part that waits for the answer; nil if the call was cancelled or has ended.
    mutating func owner(of answer: Answer, to id: CallID) -> Calls.Owner? { calls.owner(of: answer, to: id) }

    mutating func note(
        _ level: GatewayNote.Level, _ message: String, facts: KeyValuePairs<String, String> = [:]
    ) {
        actions.append(.note(GatewayNote(level, message, facts: facts)))
    }

    mutating func count(_ counter: Counter) {
        counted.append(counter)
    }

    /// Counts a refused frame or position.
    mutating func refuse(_ reason: String, count: Int = 1) {
        refusals.append((reason, count))
    }

    mutating func perform(_ other: [GatewayAction]) {
        actions += other
    }
}
