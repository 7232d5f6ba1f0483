import FlightMath
import GatewayReports
import ReceiverProtocol

// The command `bearing`.

extension GatewayMachine {
    /// - Returns: the answer's field `applied`.
    mutating func carryOut(
        _ order: BearingOrder, _ turn: inout Turn
    ) throws(CommandRefusal) -> [String: JSONValue] {
        switch order {
        case .take(let direction, let place, let error):
            guard let place = place ?? turn.car?.coordinate else {
                throw CommandRefusal(
                    .unavailable, "the car's position is not known; send from, with latitude and longitude")
            }
            let degrees: Double
            switch direction {
            case .degrees(let value): degrees = value
            case .ahead:
                guard let course = turn.car?.courseDegrees else {
                    throw CommandRefusal(
                        .unavailable, "the car's course is not known; drive some metres, or send bearing_deg in degrees"
                    )
                }
                degrees = course
            }
            let bearing = Bearing(from: place, degrees: degrees, errorDegrees: error)
            let number = signal.take(bearing, by: .command, of: sonde.serial, &turn)
            return [
                "bearing": .object([
                    "id": .string(String(number)), "bearing_deg": .number(degrees), "sigma_deg": .number(error),
                    "from": .object(["latitude": .number(place.latitude), "longitude": .number(place.longitude)]),
                ])
            ]
        case .forget(let number):
            guard signal.forget(number, of: sonde.serial, &turn) || number == nil else {
                throw CommandRefusal(
                    .outOfRange, "there is no bearing \(number ?? 0) of this sonde; bearings lists them with their ids")
            }
            return ["bearing": .object(["forget": .string(number.map { String($0) } ?? "all")])]
        }
    }

    /// Forgets the bearings of an earlier flight of this sonde.
    mutating func forgetBearings(_ turn: inout Turn) { _ = signal.forget(nil, of: sonde.serial, &turn) }
}
