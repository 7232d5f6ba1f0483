import FlightMath
import GatewayReports
import ReceiverProtocol

/// Records the car's own way with the flight that is followed.
///
/// A point lies at least ``step`` from the one before, in time and on the ground, so a car that stands adds none. The way
/// ends when nobody has to drive there any more (``Facts/isChased(at:)``).
struct CarTrail: Sendable {
    static let step = (time: Duration.seconds(5), metres: 20.0)

    private struct Last {
        var serial: SondeSerial
        var place: Coordinate
        var at: MonotonicTime

        func isFar(from car: CarPosition, of serial: SondeSerial) -> Bool {
            guard serial == self.serial else { return true }
            return car.heardAt.duration(since: at) >= CarTrail.step.time
                && car.coordinate.distanceMetres(to: place) >= CarTrail.step.metres
        }
    }

    /// The configuration wants the way recorded.
    var isOn: Bool
    private var last: Last?

    init(isOn: Bool) { self.isOn = isOn }

    mutating func follow(_ facts: Facts, _ turn: inout Turn) {
        guard isOn, !facts.run.isStopping, let serial = facts.sonde.serial, let car = facts.road.car,
            facts.isChased(at: turn.now.wall), last?.isFar(from: car, of: serial) ?? true
        else { return }
        last = Last(serial: serial, place: car.coordinate, at: car.heardAt)
        turn.record(
            .carPoint(
                serial,
                CarPoint(
                    time: turn.now.earlier(at: car.heardAt).wall, coordinate: car.coordinate,
                    altitudeMetres: car.altitudeMetres)))
    }
}
