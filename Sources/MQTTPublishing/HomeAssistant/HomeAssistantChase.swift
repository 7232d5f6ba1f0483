import FlightMath
import GatewayReports
import ReceiverProtocol

/// The part of a chase report that the car's entities show.
struct HomeAssistantChase: Equatable, Sendable {
    /// An older chase report is not shown.
    static let expiry = Duration.seconds(30)

    var car: HomeAssistantPlace?
    /// From the car, metres over ground.
    var distanceToSonde, distanceToLanding: Double?
    /// When the car reaches the end of the route.
    var arrivalAt: WallTime?
    /// How long before the sonde the car is there; negative if the car comes later.
    var margin: Duration?
    /// From the report's time to the end of the route; nil if no road is near.
    var drive: Duration?
    /// The route is a straight line, so its times are a rough guess.
    var isStraight = false
    var at: MonotonicTime
}

extension HomeAssistantChase {
    /// - Returns: nil while the car's position is unknown.
    init?(_ report: ChaseReport) {
        guard let car = report.car, let at = report.at else { return nil }
        self.init(
            car: HomeAssistantPlace(
                coordinate: car.coordinate, accuracyMetres: car.accuracyMetres ?? PositionReport.accuracyMetres),
            distanceToSonde: report.sonde?.distanceMetres, distanceToLanding: report.landing?.distanceMetres,
            arrivalAt: report.trip?.arrivalAt, margin: report.margin,
            drive: report.trip.flatMap { $0.isNoRoadNear ? nil : $0.arrivalAt.duration(since: at.wall) },
            isStraight: report.trip?.method == .straightLine, at: at.monotonic)
    }
}
