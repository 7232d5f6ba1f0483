import FlightMath
import GatewayReports
import NIOHTTP1

/// Answers the requests of the page's setup. Without a ``SetupDesk`` (a simulated flight) there is nothing to set up.
struct SetupRequests: Sendable {
    let desk: (any SetupDesk)?
    let access: SetupAccess
    let maps: TileMaps

    func questions(_ request: Request) async -> Answer {
        guard let desk else { return .json(Array("{\"open\":false}".utf8)) }
        return .json(await desk.questions(access, in: Self.language(of: request)))
    }

    func found(_ request: Request, _ snapshot: Snapshot) async -> Answer {
        guard let desk, case .open = access else { return closed }
        var search = SetupSearch(
            question: request.query["question"] ?? "",
            place: request.query["place"].flatMap { Substring($0).percentDecoded })
        if case .state(let state)? = snapshot[.state], state.link != .notConnected { search.receiver = state.receiver }
        if case .chase(let chase)? = snapshot[.chase] { search.car = chase.car?.coordinate }
        guard let found = await desk.found(search, in: Self.language(of: request)) else {
            return .refusal(.badRequest, "question must name one of the questions")
        }
        return .json(found)
    }

    func handle(_ request: Request) async -> Answer {
        guard let desk, case .open = access else { return closed }
        guard let outcome = await desk.handle(request.body, in: Self.language(of: request)) else {
            return .refusal(.badRequest, "send {\"answers\":{…}} or {\"restart\":true}")
        }
        maps.use(desk.onlineMaps())
        return .json(outcome)
    }

    private var closed: Answer { .refusal(.forbidden, "setup in the browser needs the page's key") }

    private static func language(of request: Request) -> Language {
        request.query["language"].flatMap { Language(rawValue: $0) } ?? .english
    }
}
