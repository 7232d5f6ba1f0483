import FlightMath
import GatewayReports
import ReceiverProtocol

extension Bearing {
    /// A bearing is not taken with a position that the car may have left by more than this since, metres. At 500 m from
    /// the sonde it turns a bearing by as much as its usual error.
    private static let longestWayMetres = 200.0

    /// A bearing as a crew or a direction finder gives it. The car has the place that it lacks, and the course from which
    /// a relative one counts.
    /// - Throws: if the bearing needs a place or a course of the car that nobody knows. While the car hardly moves, its
    ///   course is from its last drive. A person who says "ahead" sees whether the car still points there; a direction
    ///   finder does not see that it has turned on the spot. A phone's position may be a minute old, and the car far away
    ///   from it.
    init(
        _ given: HeardBearing, errorDegrees: Double, by source: BearingsReport.Source, car: CarPosition?,
        at now: MonotonicTime
    ) throws(CommandRefusal) {
        guard let place = given.place ?? car?.coordinate else {
            throw CommandRefusal(
                .unavailable, "the car's position is not known; send from, with latitude and longitude")
        }
        var degrees = given.degrees
        if given.isRelative {
            guard let car, let course = car.courseDegrees, source == .command || !car.isCourseHeld else {
                throw CommandRefusal(
                    .unavailable, "the car's course is not known; drive some metres, or send bearing_deg in degrees")
            }
            degrees = (degrees + course).truncatingRemainder(dividingBy: 360)
        }
        if given.place == nil || given.isRelative, let car {
            let age = now.duration(since: car.heardAt)
            guard age.inSeconds * (car.speed ?? 0) <= Self.longestWayMetres else {
                throw CommandRefusal(
                    .unavailable,
                    "the car's position is \(age.components.seconds) s old, too old for its speed; wait for the next one, "
                        + "or send from and bearing_deg in degrees")
            }
        }
        self.init(from: place, degrees: degrees, errorDegrees: errorDegrees)
    }
}
