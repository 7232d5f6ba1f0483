import NIOCore
import NIOHTTP1

/// Finds the board's answers.
struct BoardRouter: PageRouter {
    let own: BoardStreams
    let policy: RequestPolicy
    /// Nil if the page needs no key.
    let lock: PageLock?
    let files: PageFiles
    let maps: TileMaps
    let surroundings: BoardSurroundings

    var streams: any EventStreams { own }

    func route(_ request: Request) -> Route {
        if let objection = policy.objection(to: request, behind: lock) { return .answer(objection) }
        guard request.method != .POST else {
            guard request.path == "/api/command" else { return .answer(.refusal(.methodNotAllowed)) }
            return .work { await command(request) }
        }
        switch request.path {
        case "/api/events": return .events
        case "/api/command": return .answer(.refusal(.methodNotAllowed))
        case "/maps.json": return .work { await maps.list() }
        default: break
        }
        let parts = request.parts
        if parts.first == "maps", parts.count == 5 { return .work { await maps.tile(request) } }
        return .work { await files.answer(to: request) }
    }

    private func command(_ request: Request) async -> Answer {
        switch await surroundings.send(request.body) {
        case .answered(let answer): .json(answer)
        case .unreachable(let why): .refusal(.serviceUnavailable, why)
        case .refused(let why): .refusal(.badRequest, why)
        }
    }
}
