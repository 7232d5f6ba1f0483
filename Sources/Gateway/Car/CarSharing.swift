import FlightMath
import GatewayReports
import ReceiverProtocol

/// Publishes the car's position on SondeHub while a flight is hunted and the car's position is known. Everybody can see
/// it there. It needs a call sign. When sharing is switched off, the published position is removed.
///
///     situation                           action
///     switched on, a flight, a fix        publish every 30 s; an event says that the position is public
///     no flight, or no fix                nothing
///     published, now or in an earlier     remove once, at once; retry every minute until SondeHub has accepted it
///       run, and switched off since, or
///       under another call sign
///     the gateway stops                   nothing: sharing continues at the next start
struct CarSharing: Sendable {
    /// The time until the next try to remove the position.
    private static let retryInterval = Duration.seconds(60)

    /// The name in the configuration.
    static let name = "chase_car"

    private var options: CarSharingOptions
    /// The call sign under which the position is public; nil if it is not.
    private(set) var publicAs: String?
    private var errand = Errand<CarShared>()
    /// The position that was sent last; nil if none was.
    private var told: SharedCar?
    private(set) var deadline: MonotonicTime?
    private var taken = 0
    private var failed = 0

    init(_ options: CarSharingOptions) {
        self.options = options
    }

    var isOn: Bool { options.callSign != nil && options.mayAsk }

    /// For health; nil while it is off.
    var counts: FeedCounts? {
        guard isOn || publicAs != nil else { return nil }
        return FeedCounts(name: Self.name, clients: publicAs == nil ? 0 : 1, messages: taken, drops: failed)
    }

    /// Changes the options. `mayAsk` keeps its value, because it is decided at the start.
    mutating func change(to new: CarSharingOptions) {
        if new.callSign != options.callSign { errand.hurry() }
        (options.callSign, options.interval) = (new.callSign, new.interval)
    }

    /// Restores the call sign under which an earlier run has published the position.
    mutating func recall(_ stored: StoredCallSign?) { publicAs = stored?.callSign }

    mutating func follow(_ facts: Facts, _ turn: inout Turn) {
        deadline = nil
        guard options.mayAsk, let next = next(facts) else { return }
        let pause = next.coordinate == nil ? Self.retryInterval : options.interval
        guard errand.isDue(every: pause, at: turn.now.monotonic, &deadline) else { return }
        if let callSign = options.callSign, next.coordinate != nil, publicAs != callSign {
            publicAs = callSign
            turn.announce(.carPublic(callSign))
            turn.store(StoredCallSign(callSign: callSign), as: .sharedCar)
        }
        told = next
        errand.ask(.shareCar(next), &turn)
    }

    private func next(_ facts: Facts) -> SharedCar? {
        if let publicAs, publicAs != options.callSign {
            return facts.run.isStopping ? nil : SharedCar(callSign: publicAs, coordinate: nil, altitudeMetres: nil)
        }
        guard let callSign = options.callSign, facts.sonde.serial != nil, facts.state.isHunt, let car = facts.road.car,
            !facts.run.isStopping
        else { return nil }
        return SharedCar(callSign: callSign, coordinate: car.coordinate, altitudeMetres: car.altitudeMetres)
    }

    mutating func answered(_ reply: Reply, _ turn: inout Turn) {
        switch errand.take(reply, &turn) {
        case .success where told?.coordinate != nil: taken += 1
        case .success:
            guard let name = publicAs else { return }
            publicAs = nil
            errand.hurry()
            turn.announce(.carHidden(name))
            turn.record(.setting(.sharedCar, nil))
        case .failure(let error):
            failed += 1
            turn.note(.warning, "SondeHub doesn't take the car's position; retrying", facts: ["why": error.detail])
        case nil: break  // The answer is another part's.
        }
    }
}

/// The call sign under which the car's position is public, in its stored form.
struct StoredCallSign: StoredValue {
    var callSign: String
}

extension StoredCallSign {
    init?(earlier text: String) { self.init(callSign: text) }
}

extension TelemetryState {
    /// Whether a source hears the sonde, or did so a moment ago.
    var isHunt: Bool {
        switch self {
        case .liveBLEFlying, .liveBLELanded, .waitingForAPRS, .aprsFlying, .aprsLanded: true
        case .startup, .noTelemetry: false
        }
    }
}

/// SondeHub has accepted the car's position.
struct CarShared: AnswerValue {
    init?(_ answer: Answer) {
        guard case .carShared = answer else { return nil }
    }
}
