import FlightMath
import GatewayReports
import ReceiverProtocol

/// Collects the effects of one event while it is handled. The machine empties it at the end.
struct Turn {
    let now: Moment
    /// Gives earlier moments of this run their time of day.
    var clock = RunClock()
    /// Whether another event of the same instant follows. After a pause several frames arrive at once.
    var moreFollows = false
    private(set) var actions: [GatewayAction] = []
    private(set) var calls: Calls
    private(set) var speech: Speech
    /// The events of this turn that want to be said, and their places in ``actions``.
    private var wanted: [EventName: Int] = [:]
    /// The car's position, for sentences.
    var car: CarPosition?
    /// How the crew travels, for alerts.
    var routeMode = RouteMode.car
    /// The towns around the landing point, for sentences.
    var towns = TownsAround()
    /// Whether the towns around a new landing point are looked up.
    var looksUpTowns = false
    var language = Language.english
    var units = Units.metric
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
    /// - Parameters:
    ///   - isNews: false for an event that is only published.
    ///   - isSpoken: false for an event that is no sentence for a driver, or that is said later.
    mutating func announce(_ announcement: Announcement, isNews: Bool = true, isSpoken: Bool = true) {
        if isNews, isSpoken {
            if speech.queue(announcement, at: now.monotonic) { wanted[announcement.event] = actions.count }
        } else {
            speech.overtake(by: announcement)
        }
        actions.append(
            .report(
                .announcement(
                    AnnouncementReport(
                        announcement: announcement, at: now, speak: false, isNews: isNews, car: car,
                        routeMode: routeMode, language: language, units: units))))
    }

    /// The sentence of an announcement, for people who read it.
    func text(of announcement: Announcement) -> String {
        AnnouncementReport(announcement: announcement, at: now, car: car, language: language, units: units).text
    }

    /// Drops the waiting sentences that `announcement` makes untrue, without an event.
    mutating func overtake(by announcement: Announcement) { speech.overtake(by: announcement) }

    /// Whether this turn has announced an event of that name.
    func hasAnnounced(_ name: EventName) -> Bool {
        actions.contains {
            if case .report(.announcement(let report)) = $0 { report.announcement.event == name } else { false }
        }
    }

    /// Says the sentence of an event that was published before.
    mutating func say(_ announcement: Announcement) {
        if speech.queue(announcement, at: now.monotonic) { wanted[announcement.event] = nil }
    }

    /// Says the sentence whose turn has come. Call once, after all announcements of the turn.
    mutating func sayNext() {
        let (book, place) = (language.phrasebook(in: units), car)
        let next = speech.next(at: now.monotonic) { next in
            // Nobody knows it better than to a second.
            .seconds(book.seconds(toSay: book.speech(for: next, from: place)).rounded(.up))
        }
        guard let next else { return }
        if let index = wanted[next.event], case .report(.announcement(var report)) = actions[index] {
            report.speak = true
            actions[index] = .report(.announcement(report))
            return
        }
        report(
            .announcement(
                AnnouncementReport(
                    announcement: next, at: now, speak: true, isNews: false, isLater: true, car: car,
                    routeMode: routeMode, language: language, units: units)))
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

    /// Makes a call. Only an ``Errand`` does so.
    mutating func call(_ request: Request) -> CallID {
        let id = calls.begin()
        actions.append(.call(id, request))
        return id
    }

    /// Cancels a call.
    mutating func cancel(_ id: CallID) {
        if calls.cancel(id) { actions.append(.cancel(id)) }
    }

    /// - Returns: whether a part waits for the answer.
    mutating func receive(_ reply: Reply) -> Bool { calls.receive(reply) }

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
