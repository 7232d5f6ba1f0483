import FlightMath
import GatewayReports

extension HealthReport.Car {
    init(_ car: Car, _ routing: Routing) {
        self.init(
            source: car.position?.source, connected: car.connected, used: car.used, refused: car.refused,
            routesAsked: routing.errand.count, routesFailed: routing.failed)
    }
}
