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
    /// The longest sentences, seconds.
    private static let longest = (status: 9.0, other: 7.0)

    /// How long a voice takes to say a text in this language, seconds: what espeak-ng takes at 170 words a minute, to
    /// within a second and a quarter.
    public func seconds(toSay text: String) -> Double { SpokenLength(text).seconds * texts.pace }

    private func speech(for status: SpokenStatus, from car: CarPosition?) -> String {
        let variants = status.heard(from: car).lazy.map { parts in
            parts.map { self.text($0) }.joined(separator: " ")
        }
        return variants.first { seconds(toSay: $0) <= Self.longest.status } ?? variants.last ?? ""
    }

    /// The first variant that is short enough, else the last.
    private func first(of variants: [Phrase]) -> String {
        let texts = variants.lazy.map { self.text($0) }
        return texts.first { seconds(toSay: $0) <= Self.longest.other } ?? texts.last ?? ""
    }
}

extension Announcement {
    /// The sentence as a voice may say it, the longest first. Where the sonde lands tells more than how high it burst, and
    /// the way there more than its town. Last the direction from a town goes, then the time. That the place is unsure is
    /// never left out.
    fileprivate func heard(from car: CarPosition?) -> [Phrase] {
        let whole = phrase(from: car).heard
        let brief = self.brief.phrase(from: car).heard
        switch self {
        case .burst(let point, let landing):
            let low = brief.without("distance")
            let timeless = Self.burst(point, landing: landing?.brief(withTime: false)).phrase(from: car).heard
            return [
                whole, whole.without("distance"), low, low.awayFromTown, timeless.without("distance").awayFromTown,
            ]
        case .firstPrediction, .landingMoved: return [whole, brief, brief.awayFromTown]
        case .landed where whole.values["place"] != nil: return [whole, whole.without("town")]
        default: return [whole]
        }
    }

    /// The same, with "about" in place of the error.
    private var brief: Announcement {
        switch self {
        case .burst(let point, let landing): .burst(point, landing: landing?.brief())
        case .firstPrediction(let landing): .firstPrediction(landing.brief())
        case .landingMoved(let landing, let metres, let degrees):
            .landingMoved(to: landing.brief(), metres: metres, degrees: degrees)
        default: self
        }
    }
}

extension SpokenLanding {
    fileprivate func brief(withTime: Bool = true) -> SpokenLanding {
        var landing = self
        landing.isBrief = true
        if !withTime { landing.timeToGo = nil }
        return landing
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

    /// The same without the direction from a town to a place.
    fileprivate var awayFromTown: Phrase {
        var phrase = self
        if key == "town", !words.contains("at") { phrase.words.insert("away", at: 0) }
        phrase.values = values.mapValues { value in
            if case .phrase(let part) = value { .phrase(part.awayFromTown) } else { value }
        }
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
