import FlightMath
import GatewayReports
import ReceiverProtocol

/// Plans the next launches: which sondes will start around, and where they should land.
///
///     once a day, and for another    the sites are fetched; the store keeps those around
///       site, place or radius
///     somebody looks, or has asked,  Tawhiri predicts the launches of the next 12 h, one call each, at most 8 an hour
///       or an alarm is set
///     a landing is predicted         the route server gives the drive, else the detour rule
///     a landing is near              an event, once a launch
struct Launches: Sendable {
    static let ahead = Duration.seconds(43_200)
    static let siteLifetime = Duration.seconds(86_400)
    /// The time between two reports without news.
    static let interval = Duration.seconds(3600)
    /// The plans are looked at this often, not at each event.
    private static let lookInterval = Duration.seconds(60)
    /// The most calls to Tawhiri in ``interval``.
    static let mostCalls = 8
    /// The most launches in a report.
    static let mostLaunches = 40
    /// Within this time before and after a launch SondeHub's site is polled more often.
    static let launchTime = Duration.seconds(3600)
    private static let retryInterval = Duration.seconds(900)

    /// The facts that change what is asked for.
    private struct Circumstances: Equatable, Sendable {
        var isTimeKnown: Bool
        var isWanted: Bool
        var mode: RouteMode
        var hasStart: Bool
        var site: String?
        /// Changes when the clock is set. Other launches are next then.
        var clock: RunClock
    }

    struct Key: Hashable, Sendable {
        var site: String
        var at: WallTime
    }

    private let options: SondeHubOptions
    private let prediction: PredictionOptions
    private(set) var book = LaunchBook() {
        didSet { places = prediction.launchSites + book.sites.map(\.coordinate) }
    }
    /// Where sondes start: by the configuration, and the known sites.
    private(set) var places: [Coordinate]
    private(set) var report = LaunchesReport()
    /// What Tawhiri has said of a launch.
    private struct Prediction: Equatable, Sendable {
        /// Nil if it could not predict it.
        var landing: LaunchesReport.Landing?
    }

    private var landings: [Key: Prediction] = [:]
    private var drives: LaunchDrives
    private var sites = Errand<[LaunchSite]>(retry: .constant(retryInterval))
    private var predictions = Errand<OnlinePrediction?>(retry: .constant(retryInterval))
    /// The launch of the last question to Tawhiri; nil before the first.
    private var asked: (site: LaunchSite, at: WallTime)?
    /// When Tawhiri was called in the last hour.
    private var callTimes: [MonotonicTime] = []
    private var reportedAt: MonotonicTime?
    private var isRequested = false
    private var hasNews = false
    /// The circumstances at the last look.
    private var seen: Circumstances?
    /// When to look again, if nothing happens before.
    private var lookAt = MonotonicTime.zero
    private(set) var deadline: MonotonicTime?
    /// How much longer roads are than a straight line.
    private let detour: Double

    init(_ options: SondeHubOptions, _ prediction: PredictionOptions, roads: RouteOptions) {
        self.options = options
        // Each launch would be one more question to a server of the public.
        drives = LaunchDrives(roads.isPublic ? nil : roads.engine)
        detour = roads.detour
        self.prediction = prediction
        places = prediction.launchSites
    }

    var calls: Int { sites.count + predictions.count }

    /// The site with this number; nil if none is wanted, or SondeHub has not listed it yet.
    func site(_ number: String?) -> LaunchSite? { number.flatMap { number in book.sites.first { $0.id == number } } }

    func tunings(of number: String?) -> [Tuning] { site(number)?.tunings ?? [] }

    /// Whether a sonde starts about now at the site.
    func isLaunchTime(of number: String?, at now: WallTime) -> Bool {
        guard let site = site(number) else { return false }
        let (start, end) = (now.advanced(by: .zero - Self.launchTime), now.advanced(by: Self.launchTime))
        return !site.launches(from: start, through: end).isEmpty
    }

    /// Predicts the launches now, and reports them, also soon after a failure.
    mutating func request() {
        (isRequested, hasNews) = (true, true)
        predictions.hurry()
    }

    mutating func recall(_ stored: LaunchBook?) {
        guard let stored, book.fetchedAt == nil else { return }
        book = stored
        hasNews = true
    }

    // MARK: - Time

    mutating func follow(_ facts: Facts, _ turn: inout Turn) {
        guard options.isEnabled, facts.run.hasStarted, !facts.run.isStopping else { return deadline = nil }
        let now = Circumstances(
            isTimeKnown: facts.run.isTimeKnown, isWanted: isWanted(facts), mode: facts.road.mode,
            hasStart: start(facts) != nil, site: facts.launches.site, clock: turn.clock)
        if let seen, seen.clock != now.clock { hasNews = true }
        guard hasNews || now != seen || turn.now.monotonic >= lookAt else { return }
        seen = now
        look(facts, &turn)
        let next = turn.now.monotonic.advanced(by: Self.lookInterval)
        lookAt = .earliest(next, deadline) ?? next
    }

    /// Asks for what is missing, and reports what has changed.
    private mutating func look(_ facts: Facts, _ turn: inout Turn) {
        deadline = nil
        fetchSites(facts, &turn)
        predict(facts, &turn)
        findDrives(facts, &turn)
        let due = reportedAt?.advanced(by: Self.interval) ?? turn.now.monotonic
        guard hasNews || turn.now.monotonic >= due else {
            deadline = .earliest(deadline, due)
            return
        }
        (hasNews, reportedAt) = (false, turn.now.monotonic)
        deadline = .earliest(deadline, turn.now.monotonic.advanced(by: Self.interval))
        landings = landings.filter { $0.key.at.duration(since: turn.now.wall) > .zero - Self.siteLifetime }
        report = makeReport(facts, at: turn.now)
        if facts.run.isTimeKnown { warn(&turn) }
    }

    private mutating func fetchSites(_ facts: Facts, _ turn: inout Turn) {
        guard !predictions.isOut else { return }
        if let left = book.timeLeft(at: turn.now.wall, for: area(facts, among: book.sites)) {
            deadline = .earliest(deadline, turn.now.monotonic.advanced(by: left))
            return
        }
        // The area changes when the car's position comes and goes. Don't ask more often than this then.
        guard sites.isDue(every: Self.retryInterval, at: turn.now.monotonic, &deadline) else { return }
        sites.ask(.sites, &turn)
    }

    /// Asks Tawhiri for the next launch without a landing.
    private mutating func predict(_ facts: Facts, _ turn: inout Turn) {
        let now = turn.now.monotonic
        // With a wrong clock Tawhiri would predict the wrong launches.
        guard facts.run.isTimeKnown else { return }
        guard !sites.isOut, isWanted(facts), prediction.isEnabled, prediction.asksTawhiri else { return }
        let unknown = launches(from: turn.now.wall).first { landings[Key(site: $0.0.id, at: $0.1)] == nil }
        guard let next = unknown else {
            if book.fetchedAt != nil { isRequested = false }
            return
        }
        callTimes.removeAll { now.duration(since: $0) >= Self.interval }
        guard callTimes.count < Self.mostCalls else {
            deadline = .earliest(deadline, callTimes[0].advanced(by: Self.interval))
            return
        }
        guard predictions.isDue(at: now, &deadline) else { return }
        let (site, time) = next
        let rates = LaunchRates(of: site, else: prediction)
        callTimes.append(now)
        asked = (site, time)
        let query = TawhiriQuery(
            launch: site.coordinate, launchAltitudeMetres: site.altitudeMetres, launchAt: time,
            ascentRate: rates.ascent, burstAltitudeMetres: rates.burstMetres, descentRate: rates.descent)
        predictions.ask(.tawhiri(query), &turn)
    }

    private func isWanted(_ facts: Facts) -> Bool {
        isRequested || options.alarmMetres != nil || facts.run.isPageOpen || options.looksAround
    }

    private mutating func findDrives(_ facts: Facts, _ turn: inout Turn) {
        let wanted = launches(from: turn.now.wall).compactMap { site, time -> (key: Key, landing: Coordinate)? in
            let key = Key(site: site.id, at: time)
            return landings[key]?.landing.map { (key, $0.coordinate) }
        }
        drives.follow(wanted, from: start(facts), by: facts.road.mode, &turn)
        deadline = .earliest(deadline, drives.deadline)
    }

    /// The place from which the crew sets out; nil if it is unknown.
    private func start(_ facts: Facts) -> Coordinate? { facts.road.car?.coordinate ?? options.place }

    /// The launches of the next hours, in the order of time.
    private func launches(from now: WallTime) -> [(LaunchSite, WallTime)] {
        let all = book.sites.flatMap { site in
            site.launches(from: now, through: now.advanced(by: Self.ahead)).map { (site, $0) }
        }
        return Array(all.sorted { ($0.1, $0.0.id) < ($1.1, $1.0.id) }.prefix(Self.mostLaunches))
    }

    // MARK: - Answers

    /// - Returns: the winds of a launch that was predicted; nil if there are none.
    mutating func answered(_ reply: Reply, knowing facts: Facts, _ turn: inout Turn) -> StoredWinds? {
        if sites.awaits(reply) || predictions.awaits(reply) || drives.awaits(reply) { lookAt = turn.now.monotonic }
        switch sites.take(reply, &turn) {
        case .success(let sites): learn(sites, knowing: facts, &turn)
        case .failure(let error): turn.note(.info, "SondeHub gave no launch sites", facts: ["why": error.detail])
        case nil: break  // The answer is not to this question.
        }
        if drives.answered(reply, &turn) { hasNews = true }
        guard let answer = predictions.take(reply, &turn), let asked else { return nil }
        return predicted(answer, from: asked.site, at: asked.at, &turn)
    }

    private mutating func predicted(
        _ answer: Result<OnlinePrediction?, OnlineServiceError>, from site: LaunchSite, at time: WallTime,
        _ turn: inout Turn
    ) -> StoredWinds? {
        let key = Key(site: site.id, at: time)
        switch answer {
        case .success(let answer):
            let usable = answer.flatMap { $0.fault(groundMetres: site.altitudeMetres) == nil ? $0 : nil }
            landings[key] = Prediction(
                landing: usable.map { LaunchRates(of: site, else: prediction).landing(of: $0) })
            hasNews = true
            return usable.flatMap { StoredWinds(along: $0, ofLaunchAt: key) }
        case .failure(let error):
            // The server would refuse the same request again.
            if error.code == .refused { landings[key] = Prediction() }
            turn.note(.info, "a launch can't be predicted", facts: ["why": error.detail])
            return nil
        }
    }

    private mutating func learn(_ sites: [LaunchSite], knowing facts: Facts, _ turn: inout Turn) {
        let area = area(facts, among: sites)
        book.sites = around(sites, area)
        (book.fetchedAt, book.area) = (turn.now.wall, area)
        hasNews = true
        turn.store(book, as: .launchSites)
    }

    /// The configured site, and those within the radius, the nearest first.
    private func around(_ sites: [LaunchSite], _ area: LaunchArea) -> [LaunchSite] {
        let own = sites.first { $0.id == area.site }
        guard let centre = area.centre else { return own.map { [$0] } ?? [] }
        let near = sites.filter { $0.id != own?.id }
            .map { (site: $0, metres: $0.coordinate.distanceMetres(to: centre)) }
            .filter { $0.metres <= options.radiusMetres && !$0.site.times.isEmpty }
            .sorted { $0.metres < $1.metres }
        return Array(([own].compactMap { $0 } + near.map(\.site)).prefix(LaunchBook.mostSites))
    }

    private func area(_ facts: Facts, among sites: [LaunchSite]) -> LaunchArea {
        let own = sites.first { $0.id == facts.launches.site }
        return LaunchArea(
            facts.launches.site, around: facts.road.car?.coordinate ?? options.place ?? own?.coordinate,
            radiusMetres: options.radiusMetres)
    }

    // MARK: - The report

    private func makeReport(_ facts: Facts, at now: Moment) -> LaunchesReport {
        LaunchesReport(
            launches(from: now.wall).map { site, time in
                let key = Key(site: site.id, at: time)
                var launch = LaunchesReport.Launch(
                    site: site.id, name: site.name, launchAt: time,
                    burstAltitudeMetres: LaunchRates(of: site, else: prediction).burstMetres)
                guard let landing = landings[key]?.landing else { return launch }
                launch.landing = landing
                guard let start = start(facts) else { return launch }
                let query = RouteQuery(start: start, end: landing.coordinate, mode: facts.road.mode)
                let straight = Trip(
                    straightFrom: start, to: landing.coordinate, by: facts.road.mode, because: .noServer,
                    detour: detour, at: now.wall)
                let drive = drives.duration(of: query, key) ?? straight.duration
                launch.distanceMetres = start.distanceMetres(to: landing.coordinate)
                launch.drive = drive
                launch.margin = landing.at.duration(since: now.wall.advanced(by: drive))
                return launch
            })
    }

    /// Announces launches whose sonde should land near.
    private mutating func warn(_ turn: inout Turn) {
        guard let limit = options.alarmMetres else { return }
        for launch in report.launches {
            guard let metres = launch.distanceMetres, metres <= limit, book.tell(launch.site, launch.launchAt) else {
                continue
            }
            turn.announce(
                .launchNear(
                    launch.name, at: launch.launchAt, metres: metres, landing: launch.landing?.coordinate))
            turn.store(book, as: .launchSites)
        }
    }
}
