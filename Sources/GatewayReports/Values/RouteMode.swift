/// The crew's vehicle.
public enum RouteMode: String, CaseIterable, Sendable {
    case car, bike

    /// The speed assumed on a straight line, m/s: 60 and 15 km/h.
    var straightSpeed: Double {
        switch self {
        case .car: 60 / 3.6
        case .bike: 15 / 3.6
        }
    }
}
