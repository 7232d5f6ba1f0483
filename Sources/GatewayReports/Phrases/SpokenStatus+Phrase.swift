import FlightMath

extension SpokenStatus {
    /// What the sonde does; where and when it lands; when the car arrives.
    func phrase(from car: CarPosition?) -> Phrase {
        switch place {
        case .heardWithoutPlace: Phrase("status", "no_position")
        case .unknown: Phrase("status", "unknown")
        case .onTheGround: whole(onGround("on_ground", from: car), nil, arrival)
        case .probablyOnTheGround: whole(onGround("probably_on_ground", from: car), nil, arrival)
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
        let brief = [self.landing(from: car, isBrief: true), arrival(from: car)].compactMap { $0 }
        return [[motion] + rest, [slow.motion] + rest, rest, brief]
    }

    private func whole(_ doing: Phrase, _ landing: Phrase?, _ arrival: Phrase?) -> Phrase {
        Phrase("status", values: ["doing": .phrase(doing), "landing": .ifKnown(landing), "arrival": .ifKnown(arrival)])
    }

    private func onGround(_ word: String, from car: CarPosition?) -> Phrase {
        let relative = relative(to: car)
        return Phrase(
            "status", word, relative?.here,
            values: ["place": .ifKnown(relative.map { .place($0) } ?? landingPoint(from: car))])
    }

    private func relative(to car: CarPosition?) -> RelativePosition? {
        car.flatMap { car in landing.map { RelativePosition(of: $0, from: car) } }
    }

    private func landingPoint(from car: CarPosition?, isBrief: Bool = false) -> Phrase? {
        guard var landing = spokenLanding else { return nil }
        landing.isBrief = isBrief
        return Phrase.landingPoint(landing, from: car)
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
    private func landing(from car: CarPosition?, isBrief: Bool = false) -> Phrase? {
        let relative = relative(to: car)
        // Without a car only a town says where it is.
        let point = relative == nil || isVague(from: car) ? landingPoint(from: car, isBrief: isBrief) : nil
        guard timeToGo != nil || relative != nil || point != nil else { return nil }
        return Phrase(
            "status", timeToGo == nil ? "landing_place" : "landing", point == nil ? relative?.here : nil,
            values: [
                "time": .ifKnown(timeToGo.map(Phrase.until)),
                "place": .ifKnown(point ?? relative.map { .place($0) }),
            ])
    }

    /// Nil also while the place is too unsure to say when the car is there.
    private func arrival(from car: CarPosition?) -> Phrase? {
        isVague(from: car) ? nil : arrival
    }

    private func isVague(from car: CarPosition?) -> Bool { spokenLanding?.isVague(from: car) ?? false }

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
