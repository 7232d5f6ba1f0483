import FlightMath
import GatewayReports
import ReceiverProtocol

/// Tells SondeHub where the car is, while a flight is hunted and the car's position is known: other crews see it there,
/// and so does everybody else. Never without a call sign; and what was told is taken back when it is switched off.
///
///     switched on, a flight, a fix        told, every 30 s; an event says that it is public
///     no flight, or no fix                nothing
///     told, now or in an earlier run,     taken back at once, and once; tried again every minute until SondeHub has it
///       and switched off since, or under
///       another name
///     the gateway stops                   nothing: it is not switched off, and goes on at the next start
struct CarSharing: Sendable {
    /// Until a position that could not be taken back is tried again.
    private static let retryInterval = Duration.seconds(60)

    /// As the configuration calls it.
    static let name = "chase_car"

    private var options: CarSharingOptions
    /// Under which name the position is public.
    private(set) var publicAs: String?
    private var call: CallID?
    /// What is being told.
    private var told: SharedCar?
    private var toldAt: MonotonicTime?
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

    /// Whether SondeHub is asked for anything at all is decided at the start.
    mutating func change(to new: CarSharingOptions) {
        if new.callSign != options.callSign { toldAt = nil }
        (options.callSign, options.interval) = (new.callSign, new.interval)
    }

    /// What an earlier run has left public.
    mutating func recall(_ callSign: String?) {
        publicAs = callSign
    }

    mutating func follow(_ facts: Facts, _ turn: inout Turn) {
        deadline = nil
        guard options.mayAsk, call == nil, let next = next(facts) else { return }
        let pause = next.coordinate == nil ? Self.retryInterval : options.interval
        if let due = toldAt?.advanced(by: pause), turn.now.monotonic < due {
            deadline = due
            return
        }
        if let callSign = options.callSign, next.coordinate != nil, publicAs != callSign {
            publicAs = callSign
            turn.announce(.carPublic(callSign))
            turn.record(.setting(.sharedCar, callSign))
        }
        (told, toldAt) = (next, turn.now.monotonic)
        call = turn.call(.shareCar(next), for: .carSharing)
        deadline = turn.now.monotonic.advanced(by: pause)
    }

    private func next(_ facts: Facts) -> SharedCar? {
        if let publicAs, publicAs != options.callSign {
            return facts.isStopping ? nil : SharedCar(callSign: publicAs, coordinate: nil, altitudeMetres: nil)
        }
        guard let callSign = options.callSign, facts.serial != nil, facts.state.isHunt, let car = facts.car,
            !facts.isStopping
        else { return nil }
        return SharedCar(callSign: callSign, coordinate: car.coordinate, altitudeMetres: car.altitudeMetres)
    }

    mutating func answered(_ answer: Answer, _ turn: inout Turn) {
        call = nil
        let isTakenBack = told?.coordinate == nil
        told = nil
        if case .failed(let error) = answer {
            failed += 1
            turn.note(.warning, "SondeHub doesn't take the car's position; retrying", ["why": error.detail])
        } else if isTakenBack, let name = publicAs {
            (publicAs, toldAt) = (nil, nil)
            turn.announce(.carHidden(name))
            turn.record(.setting(.sharedCar, nil))
        } else {
            taken += 1
        }
    }
}

extension TelemetryState {
    /// Somebody hears the sonde, or did so just now.
    fileprivate var isHunt: Bool {
        switch self {
        case .liveBLEFlying, .liveBLELanded, .waitingForAPRS, .aprsFlying, .aprsLanded: true
        case .startup, .noTelemetry: false
        }
    }
}
