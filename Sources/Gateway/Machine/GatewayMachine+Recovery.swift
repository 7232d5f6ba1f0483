import FlightMath
import GatewayReports
import ReceiverProtocol

// The command `recovery`.

extension GatewayMachine {
    /// Within this distance of the sonde's place the car is at the sonde, metres.
    private static let atSondeMetres = 300.0

    /// - Parameter order: nil cancels the reports that wait.
    /// - Returns: the value of `recovery` in the answer's field `applied`.
    mutating func recover(_ order: RecoveryOrder?, _ turn: inout Turn) throws(CommandRefusal) -> JSONValue {
        guard let order else {
            try recoveries.cancel(&turn)
            return .null
        }
        guard sondeHub.options.isEnabled, let callSign = recoveries.callSign else {
            throw CommandRefusal(
                .unavailable,
                "reports of recovery are public on SondeHub; they need sondehub.callsign and sondehub.enabled")
        }
        guard let serial = order.serial ?? sonde.serial else { throw .noSonde }
        guard order.state == .planned || !isInTheAir(serial, at: turn.now) else {
            throw CommandRefusal(
                .inTheAir,
                "\(serial.canonical) is heard in the air now, and SondeHub keeps reports for ever; planned is accepted")
        }
        guard let place = placeToRecover(serial) else {
            throw CommandRefusal(.noSonde, "no place is known for \(serial.canonical)")
        }
        let name = sonde.names.sondeHubName(of: serial)
        let recovery = Recovery(
            name, order.state, by: callSign, note: order.note, at: turn.now.wall, coordinate: place.coordinate,
            altitudeMetres: place.altitudeMetres)
        try recoveries.report(recovery, isDated: facts.run.isTimeKnown, &turn)
        return .object([
            "serial": .string(serial.canonical), "state": .string(order.state.rawValue), "by": .string(callSign),
            "note": .string(order.note),
        ])
    }

    /// Whether the receiver or SondeHub hears the sonde in the air now.
    private mutating func isInTheAir(_ serial: SondeSerial, at now: Moment) -> Bool {
        let facts = facts
        let isListed = sondesAround.isInTheAir(facts.sonde.names.sondeHubName(of: serial), at: now.monotonic)
        guard facts.sonde.names.isOnSondeHub(as: serial) else { return isListed }
        guard facts.sonde.phase.phase != .landed else { return false }
        return isListed || facts.isSondeInTheAir(at: now.monotonic)
    }

    /// The car's place if the car stands beside the sonde; else the place where the sonde landed or was last seen; nil
    /// if that is unknown.
    private mutating func placeToRecover(
        _ serial: SondeSerial
    ) -> (coordinate: Coordinate, altitudeMetres: Double)? {
        let isFollowed = serial == sonde.serial
        let own = isFollowed ? sonde.flight.landingPlace ?? sonde.flight.lastSeen : nil
        let known = own.map { ($0.coordinate, $0.altitudeMetres) } ?? sondesAround.place(of: serial)
        guard let known else { return nil }
        guard let car = road.car.position, car.speed ?? .infinity < CarPosition.slowest,
            car.coordinate.distanceMetres(to: known.0) <= Self.atSondeMetres
        else { return known }
        return (car.coordinate, car.altitudeMetres ?? known.1)
    }
}
