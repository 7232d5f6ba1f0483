import FlightMath
import GatewayReports
import ReceiverProtocol

// The landing point that the command `landing_point` has set.

extension GatewayMachine {
    mutating func set(landingPoint place: Coordinate?, _ turn: inout Turn) throws(CommandRefusal) {
        guard let serial = sonde.serial else { throw .noSonde }
        guard place == nil || sonde.flight.landingPlace == nil else {
            throw CommandRefusal(.unavailable, "the sonde was seen to land, and that is its landing point")
        }
        sonde.set(landingPoint: place, at: turn.now)
        if let place {
            let place = StoredPlace(serial, place, at: turn.now.wall)
            kept.placesSetByHand.set(Dated(place, by: turn.clock))
        } else {
            kept.placesSetByHand.remove(of: serial)
        }
        recordPlacesSetByHand(&turn)
    }

    func recordPlacesSetByHand(_ turn: inout Turn) {
        turn.store(kept.placesSetByHand.stored(by: turn.clock), as: .landingPoint)
    }

    /// Restores a landing point that a command has set. It stays until a command removes it or another flight begins.
    mutating func setLandingPointAgain(at now: Moment) {
        guard let place = kept.placesSetByHand.place(of: sonde.serial)?.value(by: run.wallClock) else { return }
        // The sonde has landed since, in a flight that is not known here.
        guard !place.isHidden || sonde.flight.landingPlace != nil else { return }
        sonde.setAgain(place, at: now)
    }

    /// Forgets a landing point set by a command, because it belongs to an earlier flight of this sonde.
    mutating func forgetPlaceSetByHand(_ turn: inout Turn) {
        guard kept.placesSetByHand.place(of: sonde.serial) != nil else { return }
        kept.placesSetByHand.remove(of: sonde.serial)
        recordPlacesSetByHand(&turn)
    }

    /// Stores whether an observed landing hides the landing point set by a command.
    mutating func hidePlaceSetByHand(_ turn: inout Turn) {
        let hasLanded = sonde.flight.landingPlace != nil
        guard sonde.landing.book.isSetByHand, var place = kept.placesSetByHand.place(of: sonde.serial),
            place.original.isHidden != hasLanded
        else {
            return
        }
        place.original.isHidden = hasLanded
        kept.placesSetByHand.set(place)
        recordPlacesSetByHand(&turn)
    }
}
