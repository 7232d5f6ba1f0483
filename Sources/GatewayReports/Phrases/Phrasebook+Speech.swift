public import FlightMath
import ReceiverProtocol

extension Phrasebook {
    /// The sentence as a voice says it, with serials spelled. Leaves out what only a reader needs: the firmware, the type
    /// and the old serial would take six seconds more.
    public func speech(for announcement: Announcement, from car: CarPosition?) -> String {
        if case .receiverOnline(let name, _) = announcement {
            let text = sentence(for: .receiverOnline(name: name, firmware: nil), from: car)
            // A path or an address is no name that a voice can say.
            return name.contains { "/:".contains($0) } ? text.replacing(" " + name, with: "") : text
        }
        if case .sondeChanged(let new, let old, _, _) = announcement {
            return sonde(spelled(new.canonical), isFirst: old == nil) + "."
        }
        let text = sentence(for: announcement, from: car)
        guard let name = announcement.nameToSpell else { return text }
        return text.replacing(name, with: spelled(name))
    }
}

extension Announcement {
    /// The serial or call sign in the sentence.
    fileprivate var nameToSpell: String? {
        if case .flightResumed(let serial, _) = self { return serial.canonical }
        if case .carPublic(let callSign) = self { return callSign }
        if case .crewAtSonde(let callSign) = self { return callSign }
        if case .carHidden(let callSign) = self { return callSign }
        if case .recoveryReported(let recovery, isOwn: false) = self { return recovery.by }
        if case .recoveryRejected(let serial, _, _) = self { return serial.canonical }
        return nil
    }
}
