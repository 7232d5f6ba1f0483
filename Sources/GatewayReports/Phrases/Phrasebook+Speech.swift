public import FlightMath
import ReceiverProtocol

extension Phrasebook {
    /// The sentence as a voice says it, with serials spelled. Leaves out what only a reader needs: the firmware, the type
    /// and the old serial would take six seconds more. A sentence takes at most seven seconds, the status nine.
    public func speech(for announcement: Announcement, from car: CarPosition?) -> String {
        if case .receiverOnline(let name, _) = announcement {
            let text = sentence(for: .receiverOnline(name: name, firmware: nil), from: car)
            // A path or an address is no name that a voice can say.
            return name.contains { "/:".contains($0) } ? text.replacing(" " + name, with: "") : text
        }
        if case .sondeChanged(let new, let old, _, _) = announcement {
            return sonde(spelled(new.canonical), isFirst: old == nil) + "."
        }
        if case .status(let status) = announcement { return speech(for: status, from: car) }
        let text = first(of: announcement.heard(from: car))
        guard let name = announcement.nameToSpell else { return text }
        return text.replacing(name, with: spelled(name))
    }
}

extension Phrasebook {
    /// A voice takes nine seconds for a status of so many characters.
    private static let longestStatus = 95
    /// The same for other sentences and seven seconds.
    private static let longest = 88

    private func speech(for status: SpokenStatus, from car: CarPosition?) -> String {
        let variants = status.heard(from: car).lazy.map { parts in
            parts.map { self.text($0) }.joined(separator: " ")
        }
        return variants.first { $0.count <= Self.longestStatus } ?? variants.last ?? ""
    }

    /// The first variant that is short enough, else the last.
    private func first(of variants: [Phrase]) -> String {
        let texts = variants.lazy.map { self.text($0) }
        return texts.first { $0.count <= Self.longest } ?? texts.last ?? ""
    }
}

extension Announcement {
    /// The sentence as a voice may say it, the longest first. Where the sonde lands tells more than how high it burst, and
    /// the way there more than its town.
    fileprivate func heard(from car: CarPosition?) -> [Phrase] {
        let whole = phrase(from: car).heard
        if case .burst(let point, let landing?) = self {
            var place = landing
            place.radius50Metres = nil
            let shortest = Announcement.burst(point, landing: place).phrase(from: car)
            return [whole, whole.without("distance"), shortest.without("distance")]
        }
        if case .landed = self, whole.values["place"] != nil { return [whole, whole.without("town")] }
        return [whole]
    }
}

extension Phrase {
    /// Without what takes a listener's time: how far the landing point has moved, beside where it is now, and the type
    /// beside a frequency.
    fileprivate var heard: Phrase {
        var phrase = self
        if key == EventName.landingMoved.rawValue, values["where"] != nil {
            phrase = phrase.without("distance").without("direction")
        }
        if case .phrase(let tuning)? = values["tuning"] { phrase.values["tuning"] = .phrase(tuning.without("type")) }
        return phrase
    }

    fileprivate func without(_ name: String) -> Phrase {
        var phrase = self
        phrase.values[name] = nil
        return phrase
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
