package import FlightMath
package import Gateway
package import GatewayReports
import ReceiverProtocol

extension Script {
    package static let car = Coordinate(latitude: 47, longitude: 8)

    /// The landing point of ``toGoal(_:)``.
    package static let goal = car.moved(east: 10_000, north: 0)

    /// The receiver hears a sonde, the car's position is known, and a command has set the landing point 10 km east of it.
    package static func toGoal(_ options: ChaseOptions = ChaseOptions()) -> Script {
        var script = Script(chase: options)
        script.connect()
        for _ in 0..<3 { script.frame(position()) }
        script.wait(30)
        script.fix()
        script.command("{\"landing_point\":{\"latitude\":\(goal.latitude),\"longitude\":\(goal.longitude)}}")
        return script
    }

    /// A fix of the car.
    /// - Parameter age: the fix's age by its own time, seconds; nil for a source without a time.
    @discardableResult
    package mutating func fix(
        _ source: CarSource = .gpsd, at place: Coordinate = car, altitude: Double? = 430, speed: Double? = 20,
        course: Double? = 90, accuracy: Double? = 5, age: Double? = 0, isRetained: Bool = false, device: String? = nil
    ) -> Outcome {
        run(
            .carFix(
                CarFix(
                    source: source, coordinate: place, altitudeMetres: altitude, speed: speed, courseDegrees: course,
                    accuracyMetres: accuracy,
                    time: age.map { now.wall.advanced(byMilliseconds: Int64(-$0 * 1000)) }, isRetained: isRetained,
                    device: device)))
    }

    package var chase: ChaseReport? { if case .chase(let report) = newest[.chase] { report } else { nil } }
    package var route: RouteReport? { if case .route(let report?) = newest[.route] { report } else { nil } }
}

extension Script.Outcome {
    package var chases: [ChaseReport] { reports.compactMap { if case .chase(let report) = $0 { report } else { nil } } }
    /// The calls to the route server with their ids.
    package var routes: [(id: CallID, query: RouteQuery)] {
        actions.compactMap { if case .call(let id, .route(let query)) = $0 { (id, query) } else { nil } }
    }
}
