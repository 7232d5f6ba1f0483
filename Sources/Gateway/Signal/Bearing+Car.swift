import FlightMath
import GatewayReports
import ReceiverProtocol

extension Bearing {
    /// A bearing as a crew or a direction finder gives it. The car has the place that it lacks, and the course from which
    /// a relative one counts.
    /// - Throws: if the bearing needs a place or a course of the car that nobody knows. While the car hardly moves, its
    ///   course is from its last drive: it may have turned on the spot since, and the crew may be on foot.
    init(_ given: HeardBearing, errorDegrees: Double = usualErrorDegrees, car: CarPosition?) throws(CommandRefusal) {
        guard let place = given.place ?? car?.coordinate else {
            throw CommandRefusal(
                .unavailable, "the car's position is not known; send from, with latitude and longitude")
        }
        var degrees = given.degrees
        if given.isRelative {
            guard let car, let course = car.courseDegrees, !car.isCourseHeld else {
                throw CommandRefusal(
                    .unavailable,
                    "the car stands, or its course is not known; drive some metres, or send bearing_deg in degrees")
            }
            degrees = (degrees + course).truncatingRemainder(dividingBy: 360)
        }
        self.init(from: place, degrees: degrees, errorDegrees: errorDegrees)
    }
}
