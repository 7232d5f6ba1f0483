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
        let known = sonde(named: serial)
        let name = known?.names.sondeHubName(of: serial) ?? serial
        guard order.state == .planned || !isInTheAir(known, onSondeHub: name, at: turn.now.monotonic) else {
            throw CommandRefusal(
                .inTheAir,
                "\(serial.canonical) is heard in the air now, and SondeHub keeps reports for ever; planned is accepted")
        }
        guard let place = placeToRecover(serial, known, onSondeHub: name, by: turn.clock) else {
            throw CommandRefusal(.noSonde, "no place is known for \(serial.canonical)")
        }
        let recovery = Recovery(
            name, order.state, by: callSign, note: order.note, at: turn.now.wall, coordinate: place.coordinate,
            altitudeMetres: place.altitudeMetres)
        try recoveries.report(recovery, isDated: facts.run.isTimeKnown, &turn)
        return .object([
            "serial": .string(serial.canonical), "state": .string(order.state.rawValue), "by": .string(callSign),
            "note": .string(order.note),
        ])
    }

    /// The sonde that is followed, or was followed before, by one of its names; nil if this run knows none.
    private func sonde(named name: SondeSerial) -> FollowedSonde? {
        sonde.names.isOnSondeHub(as: name) ? sonde : interrupted.sonde(named: name)
    }

    /// Whether the receiver or SondeHub hears the sonde in the air now.
    /// - Parameters:
    ///   - known: what this run knows of it.
    ///   - name: SondeHub's name for it.
    private func isInTheAir(_ known: FollowedSonde?, onSondeHub name: SondeSerial, at now: MonotonicTime) -> Bool {
        guard known?.flight.phase.phase != .landed else { return false }
        return known?.isHeardInTheAir(at: now) ?? false || sondesAround.isInTheAir(name, at: now)
    }

    /// The car's place if the car stands beside the sonde; else the place where the sonde landed or was last seen; nil
    /// if that is unknown. Sondes of earlier runs are known by their lesson, and those of the last flights by their
    /// track.
    private func placeToRecover(
        _ serial: SondeSerial, _ known: FollowedSonde?, onSondeHub name: SondeSerial, by clock: RunClock
    ) -> (coordinate: Coordinate, altitudeMetres: Double)? {
        let own = known?.serial ?? serial
        let places = [
            (known?.flight).flatMap { SeenPlace(of: $0) }, kept.seenPlaces.place(of: own, by: clock),
            kept.earlierFlights.lessons.landing(of: own, by: clock),
            sondesAround.record(of: name).map { SeenPlace(of: $0) },
        ]
        guard let seen = SeenPlace.best(of: places.compactMap { $0 }) else { return nil }
        guard let car = road.car.position, car.speed ?? .infinity < CarPosition.slowest,
            car.coordinate.distanceMetres(to: seen.coordinate) <= Self.atSondeMetres
        else { return (seen.coordinate, seen.altitudeMetres) }
        return (car.coordinate, car.altitudeMetres ?? seen.altitudeMetres)
    }
}

extension FollowedSonde {
    /// Whether a source hears it in the air now.
    fileprivate func isHeardInTheAir(at now: MonotonicTime) -> Bool {
        Silence(since: heardAt, at: now) < .silent
            && SondeHubChoice.isInTheAir(flight.phase.phase, atMetres: flight.newestTrusted?.altitudeMetres ?? 0)
    }
}

extension SeenPlace {
    fileprivate init(of record: SondeHubRecord) {
        self.init(coordinate: record.coordinate, altitudeMetres: record.altitudeMetres, at: record.time)
    }
}
