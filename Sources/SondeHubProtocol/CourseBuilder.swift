import FlightMath
import Gateway
import GatewayReports

/// Collects the points of a predicted course and checks each.
struct CourseBuilder {
    private(set) var points: [OnlinePrediction.Point] = []

    /// - Parameter longitude: -180…180, or 0…360 as Tawhiri counts.
    /// - Throws: `malformed` if a number is missing, infinite or out of range, if time goes backwards, or if there are
    ///   too many points.
    mutating func add(
        time: WallTime?, latitude: Double?, longitude: Double?, altitude: Double?
    ) throws(OnlineServiceError) {
        guard let time, let latitude, let longitude, let altitude else {
            throw .malformed("a point of the predicted course lacks a number")
        }
        guard abs(latitude) <= 90, -180...360 ~= longitude, -500...60_000 ~= altitude else {
            throw .malformed("a point of the predicted course is out of range")
        }
        if let last = points.last, time < last.time { throw .malformed("the predicted course goes back in time") }
        guard points.count < OnlinePrediction.limit else {
            throw .malformed("the predicted course has more than \(OnlinePrediction.limit) points")
        }
        let coordinate = Coordinate(latitude: latitude, longitude: longitude > 180 ? longitude - 360 : longitude)
        points.append(OnlinePrediction.Point(time: time, coordinate: coordinate, altitudeMetres: altitude))
    }
}
