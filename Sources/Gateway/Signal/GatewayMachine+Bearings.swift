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
        case .take(let given, let error):
            let (number, bearing) = try signal.take(
                given, errorDegrees: error, by: .command, of: sonde.serial, &turn)
            return [
                "bearing": .object([
                    "id": .string(String(number)), "bearing_deg": .number(bearing.degrees), "sigma_deg": .number(error),
                    "from": .object([
                        "latitude": .number(bearing.place.latitude), "longitude": .number(bearing.place.longitude),
                    ]),
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
