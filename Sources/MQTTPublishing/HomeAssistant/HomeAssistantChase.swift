import FlightMath
import GatewayReports
import ReceiverProtocol

/// What the car's entities show of a chase (specification 5.2, `chase`).
struct HomeAssistantChase: Equatable, Sendable {
    /// A chase is of no use after this time (5.1).
    static let expiry = Duration.seconds(30)

    var car: HomeAssistantPlace?
    /// Metres over ground, from the car.
    var distanceToSonde, distanceToLanding: Double?
    /// Of the route.
    var arrivalAt: WallTime?
    /// How long the car is there before the sonde; negative after it.
    var margin: Duration?
    var at: MonotonicTime
}

extension HomeAssistantChase {
    /// - Returns: nil while the car is not known.
    init?(_ report: ChaseReport) {
        guard let car = report.car, let at = report.at else { return nil }
        self.init(
            car: HomeAssistantPlace(
                coordinate: car.coordinate, accuracyMetres: car.accuracyMetres ?? PositionReport.accuracyMetres),
            distanceToSonde: report.sonde?.distanceMetres, distanceToLanding: report.landing?.distanceMetres,
            arrivalAt: report.trip?.arrivalAt, margin: report.margin, at: at.monotonic)
    }
}
