import FlightMath
import GatewayReports
import ReceiverProtocol

/// The other crews that SondeHub shows, while a flight is hunted.
struct Crews: Sendable {
    private static let interval = Duration.seconds(60)
    /// A crew whose position is older is no longer shown. The request to SondeHub covers the same time.
    private static let freshLimit = Duration.seconds(900)
    /// A crew near the landing point for this long is at the sonde.
    private static let stay = Duration.seconds(60)

    private let isOn: Bool
    private(set) var report = CrewsReport()
    private(set) var errand = Errand<[CrewPosition]>(
        retry: RetryPauses(first: .seconds(120), longest: .seconds(900)))
    /// ``interval``, changed a little for each call, so that many gateways don't ask at once.
    private var spacing = interval
    private(set) var deadline: MonotonicTime?
    private var flight = FlightKey()
    /// When each crew's positions began to be at the sonde.
    private var atSondeSince: [String: WallTime] = [:]
    /// The crews that were announced.
    private var announced: Set<String> = []
    /// What an earlier run announced.
    private var earlier: AnnouncedCrews?

    init(_ options: SondeHubOptions) {
        isOn = options.isEnabled && options.showsCrews
    }

    /// The crew that is nearest to the landing point.
    var nearest: CrewsReport.Crew? {
        report.crews.filter { $0.landingMetres != nil }.min { ($0.landingMetres ?? 0) < ($1.landingMetres ?? 0) }
    }

    mutating func recall(_ stored: AnnouncedCrews?) { earlier = stored }

    mutating func follow(_ facts: Facts, _ turn: inout Turn) {
        deadline = nil
        guard isOn else { return }
        if facts.sonde.flight != flight { (flight, atSondeSince, announced) = (facts.sonde.flight, [:], []) }
        let places = [facts.sonde.landing?.coordinate, facts.road.car?.coordinate].compactMap { $0 }
        guard facts.run.hasStarted, !facts.run.isStopping, facts.sonde.serial != nil, facts.state.isHunt,
            !places.isEmpty
        else {
            errand.cancel(&turn)
            report = CrewsReport()
            return
        }
        guard errand.isDue(every: spacing, at: turn.now.monotonic, &deadline) else { return }
        spacing = Self.interval.spread(by: turn.now.monotonic)
        errand.ask(.crews(near: places), &turn)
    }

    /// - Parameters:
    ///   - own: the call sign of this car; nil if it is not public.
    ///   - recovery: the newest report of the sonde's recovery; nil without one.
    mutating func answered(
        _ reply: Reply, knowing facts: Facts, own: String?, recovery: Recovery?, _ turn: inout Turn
    ) {
        switch errand.take(reply, &turn) {
        case .success(let crews):
            show(crews.filter { $0.callSign != own }, knowing: facts, recovery: recovery, &turn)
        case .failure(let error):
            turn.note(.info, "no other crews: \(error.code.rawValue)", facts: ["why": error.detail])
            let now = turn.now.wall
            report.crews.removeAll { now.duration(since: $0.position.time) > Self.freshLimit }
        case nil: break  // The answer is another part's.
        }
    }

    private mutating func show(
        _ crews: [CrewPosition], knowing facts: Facts, recovery: Recovery?, _ turn: inout Turn
    ) {
        let landing = facts.sonde.landing?.coordinate
        report = CrewsReport(
            crews.filter { turn.now.wall.duration(since: $0.time) <= Self.freshLimit }.map { crew in
                CrewsReport.Crew(
                    crew, heardAt: turn.now.earlier(at: crew.time).monotonic,
                    landingMetres: landing.map { crew.coordinate.distanceMetres(to: $0) })
            })
        // A crew near the landing point of a flying sonde waits for it, but is not at the sonde.
        let isDown = !facts.sonde.phase.phase.isFlying
        let near = report.crews.filter { ($0.landingMetres ?? .infinity) <= RelativePosition.nearMetres }
            .map(\.position)
        let names = Set(near.map(\.callSign))
        atSondeSince = atSondeSince.filter { names.contains($0.key) }
        for crew in near {
            let since = atSondeSince[crew.callSign] ?? crew.time
            atSondeSince[crew.callSign] = since
            // The crew's own report that it did not find the sonde says more, and a recovered sonde is gone.
            let isOver = recovery.map { $0.state == .recovered || $0.state == .notFound && $0.by == crew.callSign }
            guard isDown, isOver != true, crew.time.duration(since: since) >= Self.stay, let serial = flight.serial
            else {
                continue
            }
            let known = announced.union(earlier?.crews(at: serial) ?? [])
            guard !known.contains(crew.callSign) else { continue }
            announced = known.union([crew.callSign])
            turn.store(AnnouncedCrews(serial: serial, crews: announced.sorted()), as: .crewsAtSonde)
            turn.announce(.crewAtSonde(crew.callSign))
        }
    }
}

extension CrewPosition: AnswerElement {
    static func list(in answer: Answer) -> [CrewPosition]? { if case .crews(let list) = answer { list } else { nil } }
}
