/// Why the trip is a straight line and no route.
public enum StraightLineReason: Equatable, Sendable {
    case noServer
    /// The server has not answered yet, or its next request is not yet due.
    case waiting
    case noRoad(NoRoad)
    case failed(OnlineServiceError.Code)

    /// The published name.
    public var name: String {
        switch self {
        case .noServer: "no_server"
        case .waiting: "waiting"
        case .noRoad(let what): what.rawValue
        case .failed(let code): code.rawValue
        }
    }
}
