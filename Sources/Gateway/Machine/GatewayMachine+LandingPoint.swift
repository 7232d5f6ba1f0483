import FlightMath
import GatewayReports
import ReceiverProtocol

// The command `landing_point`.

extension GatewayMachine {
    mutating func set(landingPoint place: Coordinate?, _ turn: inout Turn) throws(CommandRefusal) {
        guard let serial = sonde.serial else { throw .noSonde }
        guard place == nil || sonde.flight.landingPlace == nil else {
            throw CommandRefusal(.unavailable, "the sonde was seen to land, and that is its landing point")
        }
        sonde.set(landingPoint: place, at: turn.now)
        if let place {
            placesSetByHand.set(StoredPlace(serial, place, at: turn.now.wall))
        } else {
            placesSetByHand.remove(of: serial)
        }
        turn.record(.setting(.landingPoint, placesSetByHand.text))
    }
}
