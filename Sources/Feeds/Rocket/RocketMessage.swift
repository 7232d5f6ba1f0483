package import FlightMath
package import GatewayReports
package import ReceiverProtocol

/// The lines of the recovery feed (TCP 5000), as the rocket recovery app reads them: one JSON object in each. The app's
/// versions use different names, so some values appear twice.
package enum RocketMessage {
    /// The number of satellites sent with a position. Frames have no such number; the app takes any number above 0 as a
    /// fix.
    static let satellitesOfAFix = 4

    /// A line with the line end that an Arduino prints.
    static func line(_ type: String, _ fill: (inout JSONText) -> Void) -> [UInt8] {
        var json = JSONText()
        json.field("type", type)
        fill(&json)
        return json.object + [13, 10]
    }

    private static func place(_ coordinate: Coordinate, _ altitudeMetres: Double, into json: inout JSONText) {
        json.field("lat", coordinate.latitude, decimals: 6)
        json.field("lon", coordinate.longitude, decimals: 6)
        json.field("alt", altitudeMetres, decimals: 1)
    }

    /// The sonde's current state. Without a fresh position the line holds only the state and zero satellites.
    package static func telemetry(_ sonde: FeedSonde?, car: CarPosition?, sequence: Int) -> [UInt8] {
        line("tel") { json in
            json.field("id", 0)
            json.field("seq", sequence)
            guard let sonde, sonde.isFresh else {
                json.field("state", (sonde.map { RocketState($0) } ?? .idle).name)
                json.field("sats", 0)
                json.field("sat", 0)
                return
            }
            let sinceStart = sonde.firstAt.map { max(.zero, sonde.time.duration(since: $0)) } ?? .zero
            json.field("t", Int(sinceStart.wholeMilliseconds))
            json.field("time", Int(sinceStart.wholeMilliseconds))
            place(sonde.coordinate, sonde.altitudeMetres, into: &json)
            if let vertical = sonde.verticalSpeed { json.field("vel", vertical, decimals: 2) }
            if let horizontal = sonde.horizontalSpeed { json.field("gspd", horizontal, decimals: 2) }
            if let course = sonde.courseDegrees {
                json.field("hdg", course, decimals: 1)
                json.field("ghdg", course, decimals: 1)
            }
            if let hectopascal = sonde.pressureHectopascal { json.field("pres", hectopascal * 100, decimals: 0) }
            if let celsius = sonde.temperatureCelsius { json.field("temp", celsius, decimals: 1) }
            if let metres = sonde.highestMetres { json.field("max_alt", metres, decimals: 1) }
            if let dBm = sonde.rssiDBm { json.field("rssi", dBm, decimals: 1) }
            if let car { json.field("dist", car.coordinate.distanceMetres(to: sonde.coordinate), decimals: 1) }
            json.field("state", RocketState(sonde).name)
            json.field("sats", satellitesOfAFix)
            json.field("sat", satellitesOfAFix)
        }
    }

    package static func link(isConnected: Bool) -> [UInt8] {
        line("link") { $0.field("status", isConnected ? "connected" : "lost") }
    }

    // MARK: - Last known positions

    private static let mostRockets = 16
    /// The app's value for "the car's position is unknown".
    private static let unknownDistance = -1.0

    /// The last known positions with their ages. Id 0 belongs to the followed sonde, even before its first position.
    /// The other recorded sondes follow.
    package static func rockets(
        _ sonde: FeedSonde?, hunted: SondeSerial?, recorded: [ArchivedFlight], car: CarPosition?, at now: WallTime
    ) -> [UInt8] {
        let hunted = sonde?.serial ?? hunted
        let its = sonde.map { Known($0) } ?? recorded.first { $0.serial == hunted }.map { Known($0, at: now) }
        let firstID = its == nil && hunted != nil ? 1 : 0
        var known = its.map { [$0] } ?? []
        for flight in recorded
        where known.count < mostRockets - firstID && !known.contains(where: { $0.serial == flight.serial }) {
            known.append(Known(flight, at: now))
        }
        return line("rockets") { json in
            json.field("count", known.count)
            json.array("rockets", Array(known.enumerated())[...]) { inner, entry in
                inner.object { fields in
                    let (index, rocket) = entry
                    fields.field("id", firstID + index)
                    fields.field("name", rocket.serial.canonical)
                    place(rocket.coordinate, rocket.altitudeMetres, into: &fields)
                    let metres = car?.coordinate.distanceMetres(to: rocket.coordinate)
                    fields.field("dist", metres ?? unknownDistance, decimals: 1)
                    fields.field("state", rocket.state.name)
                    fields.field("sats", rocket.isFresh ? satellitesOfAFix : 0)
                    if let dBm = rocket.rssiDBm { fields.field("rssi", dBm, decimals: 1) }
                    fields.field("age", rocket.ageSeconds)
                }
            }
        }
    }

    private struct Known {
        var serial: SondeSerial
        var coordinate: Coordinate
        var altitudeMetres: Double
        var state: RocketState
        var isFresh = false
        var rssiDBm: Double?
        var ageSeconds: Int

        init(_ sonde: FeedSonde) {
            (serial, coordinate, altitudeMetres) = (sonde.serial, sonde.coordinate, sonde.altitudeMetres)
            (state, isFresh, rssiDBm) = (RocketState(sonde), sonde.isFresh, sonde.rssiDBm)
            ageSeconds = Int(clamping: sonde.age.components.seconds)
        }

        init(_ flight: ArchivedFlight, at now: WallTime) {
            let place = flight.landing ?? flight.last
            (serial, coordinate, altitudeMetres) = (flight.serial, place.coordinate, place.altitudeMetres)
            state = flight.landing == nil ? .idle : .landed
            ageSeconds = Int(clamping: max(.zero, now.duration(since: flight.last.time)).components.seconds)
        }
    }
}
