/// The crew's vehicle.
public enum RouteMode: String, CaseIterable, Sendable {
    case car, bike

    /// The speed assumed on a straight line, m/s: 60 and 20 km/h (specification 3.8).
    var straightSpeed: Double {
        switch self {
        case .car: 60 / 3.6
        case .bike: 20 / 3.6
        }
    }
}
