import FlightMath

extension SpokenStatus {
    /// What the sonde does; where and when it lands; when the car arrives.
    func phrase(from car: CarPosition?) -> Phrase {
        let relative = car.flatMap { car in landing.map { RelativePosition(of: $0, from: car) } }
        return switch place {
        case .heardWithoutPlace: Phrase("status", "no_position")
        case .unknown: Phrase("status", "unknown")
        case .onTheGround: whole(onGround("on_ground", relative), nil, arrival)
        case .probablyOnTheGround: whole(onGround("probably_on_ground", relative), nil, arrival)
        case .inTheAir: whole(motion, landing(from: car), arrival(from: car))
        }
    }

    /// The same as a voice may say it, the longest first. Time and place of the landing tell more than the speed and the
    /// height, which are left out where all would take too long.
    func heard(from car: CarPosition?) -> [[Phrase]] {
        guard place == .inTheAir, let landing = landing(from: car) else { return [[phrase(from: car)]] }
        var slow = self
        slow.verticalSpeed = nil
        let rest = [landing, arrival(from: car)].compactMap { $0 }
        return [[motion] + rest, [slow.motion] + rest, rest]
    }

    private func whole(_ doing: Phrase, _ landing: Phrase?, _ arrival: Phrase?) -> Phrase {
        Phrase("status", values: ["doing": .phrase(doing), "landing": .ifKnown(landing), "arrival": .ifKnown(arrival)])
    }

    private func onGround(_ word: String, _ relative: RelativePosition?) -> Phrase {
        Phrase("status", word, relative?.here, values: ["place": .ifKnown(relative.map { .place($0) })])
    }

    private var motion: Phrase {
        let height = altitudeMetres.map { Phrase.Value.quantity(.height($0)) }
        guard let speed = spokenSpeed else {
            return Phrase("status", height == nil ? "in_the_air" : "height", values: ["height": height])
        }
        return Phrase(
            "status", speed < 0 ? "falling" : "rising",
            values: ["speed": .quantity(.verticalSpeed(abs(speed))), "height": height])
    }

    private var spokenLanding: SpokenLanding? {
        landing.map { SpokenLanding($0, radius50Metres: radius50Metres, town: town) }
    }

    /// Nil if neither time nor place is known.
    private func landing(from car: CarPosition?) -> Phrase? {
        let relative = car.flatMap { car in landing.map { RelativePosition(of: $0, from: car) } }
        guard timeToGo != nil || relative != nil else { return nil }
        let unsure = isVague(from: car) ? spokenLanding.flatMap { Phrase.landingPoint($0, from: car) } : nil
        return Phrase(
            "status", timeToGo == nil ? "landing_place" : "landing", unsure == nil ? relative?.here : nil,
            values: [
                "time": .ifKnown(timeToGo.map(Phrase.until)),
                "place": .ifKnown(unsure ?? relative.map { .place($0) }),
            ])
    }

    /// Nil also while the place is too unsure to say when the car is there.
    private func arrival(from car: CarPosition?) -> Phrase? {
        isVague(from: car) ? nil : arrival
    }

    /// False also where nobody knows where the crew is.
    private func isVague(from car: CarPosition?) -> Bool {
        car != nil && spokenLanding?.isVague(from: car) ?? false
    }

    private var arrival: Phrase? {
        let about = isStraight ? "about" : nil
        if let drive { return Phrase("status", "arrival", about, n: .minutes(drive)) }
        guard let margin else { return nil }
        let minutes = SpokenNumber.minutes(margin < .zero ? .zero - margin : margin)
        if minutes.whole == 0 { return Phrase("status", "same") }
        return Phrase("status", margin < .zero ? "after" : "before", about, n: minutes)
    }
}

extension RelativePosition {
    fileprivate var here: String? { isHere ? "here" : nil }
}
