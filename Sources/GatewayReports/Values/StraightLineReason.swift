/// Why there is no route.
public enum StraightLineReason: Equatable, Sendable {
    case noServer
    /// The server has not answered yet, or is not to be asked yet.
    case waiting
    case noRoad(NoRoad)
    case failed(OnlineServiceError.Code)

    /// Published.
    public var name: String {
        switch self {
        case .noServer: "no_server"
        case .waiting: "waiting"
        case .noRoad(let what): what.rawValue
        case .failed(let code): code.rawValue
        }
    }
}
