public import FlightMath
import ReceiverProtocol

/// English, fit to be read aloud.
public struct English: Phrasebook {
    public init() {}

    public func sentence(for announcement: Announcement, from car: CarPosition?) -> String {
        switch announcement {
        case .receiverOnline(let name, let firmware):
            "Receiver \(name) online\(firmware.map { ", firmware \($0)" } ?? "")."
        case .receiverLost(let loss): "Receiver lost: \(loss.explanation)."
        case .adapterRepaired(let repair, let duration):
            "No receiver for \(duration.components.seconds) seconds: "
                + (repair == .powerCycle
                    ? "switching the Bluetooth adapter off and on." : "resetting the Bluetooth adapter.")
        case .advice(let advice): sentence(advice)
        case .storeReplaced(let text): text
        case .smallPackets(let mtu):
            "The receiver's Bluetooth packets hold only \(mtu - 3) bytes: long frames arrive in pieces or cut."
        case .aprsNames: "The receiver shows APRS names. Set aprsName to 0 for serials that match SondeHub's."
        case .stateChanged(let state, _, let reason): sentence(state, reason)
        case .sondeChanged(let new, nil, let type): "First sonde \(new)\(spoken(type))."
        case .sondeChanged(let new, let old?, let type): "New sonde \(new)\(spoken(type)), after \(old)."
        case .flightResumed(let serial, _): "Resuming the flight of \(serial)."
        case .burst(let point): "Burst at \(whole(point.altitudeMetres)) metres."
        case .burstRevoked: "The balloon is climbing again: it has not burst."
        case .landed(let point):
            "The sonde has landed\(seen(point.coordinate, from: car))."
        case .landedInSilence(_, let guess):
            "Nobody hears the sonde any more: it has probably landed\(seen(guess, from: car))."
        case .below10km: "The sonde is below 10 kilometres."
        case .distance(let metres, let place):
            "\(distance(metres)) to go\(car.map { ", " + side(RelativePosition(of: place, from: $0)) } ?? "")."
        case .arrival(let margin, _, true): "In a straight line you would arrive \(spoken(margin))."
        case .arrival(let margin, let isNoRoadNear, false): sentence(margin, isNoRoadNear: isNoRoadNear)
        case .noRoadNear(let metres):
            "No road near the landing point: the last one ends \(distance(metres)) away."
        case .moved: "Somebody is moving the sonde."
        case .airborne: "The sonde is in the air again."
        case .trackTruncated(let truncation): sentence(truncation)
        case .firstPrediction(_, let time):
            "First landing prediction\(time.map { ", in \(minutes($0))" } ?? "")."
        case .landingMoved(_, let metres, let degrees):
            "The landing point has moved \(distance(metres)) \(direction(degrees))."
        case .scored(let score): sentence(score)
        case .frequencyProposal(let tuning): "The sonde transmits on \(spoken(tuning)). Tune the receiver?"
        case .frequencyTuned(let tuning): "Tuning the receiver to \(spoken(tuning))."
        case .storeFailed(let error):
            "Recording has stopped, live data goes on. The store reports: \(error.detail)."
        case .storeRecovered: "Recording again: the store works."
        case .carPublic(let callSign): "Your car's position is public on SondeHub now, as \(callSign)."
        case .carHidden(let callSign): "Your car's position is no longer public on SondeHub as \(callSign)."
        case .otherGateway(let id):
            "Another gateway has the id \(id), too: give each one a gateway.id of its own."
        case .gatewayStopped: "Gateway is stopping."
        }
    }
}

// MARK: - Parts of sentences

extension English {
    private func sentence(_ advice: LinkAdvice) -> String {
        switch advice {
        case .replugAdapter: "Unplug the Bluetooth adapter and plug it in again, or restart the box."
        case .restartReceiver: "Switch the receiver off and on, and bring it near."
        case .resetFailed(let why): "The Bluetooth adapter can't be reset: \(why)."
        }
    }

    private func sentence(_ state: TelemetryState, _ reason: TelemetryState.Reason) -> String {
        switch state {
        case .startup: "Gateway is starting."
        case .liveBLEFlying: "The receiver hears the sonde."
        case .liveBLELanded: "The receiver hears the sonde, which is on the ground."
        case .waitingForAPRS: "The receiver lost the sonde."
        case .aprsFlying: "SondeHub has the sonde."
        case .aprsLanded: "SondeHub has the sonde, which is on the ground."
        case .noTelemetry: reason == .stopping ? "No telemetry: the gateway is stopping." : "Nobody hears the sonde."
        }
    }

    /// Of what counted a quarter of an hour before, else of the last.
    private func sentence(_ score: LandingScore) -> String {
        let judged = score.inForce.map { [$0] } ?? Array(score.errors.values)
        let early = judged.compactMap(\.at15Minutes).min()
        if let early { return "The prediction was \(distance(early)) off 15 minutes before landing." }
        let last = judged.compactMap(\.last).min()
        return last.map { "The last prediction was \(distance($0)) off." } ?? "No prediction could be judged."
    }

    private func sentence(_ margin: Duration, isNoRoadNear: Bool) -> String {
        let what = isNoRoadNear ? "You will reach the road's end" : "You will arrive"
        return "\(what) \(spoken(margin))." + (isNoRoadNear ? " No road near the landing point." : "")
    }

    /// `4 minutes before the landing`
    private func spoken(_ margin: Duration) -> String {
        "\(minutes(margin < .zero ? .zero - margin : margin)) \(margin < .zero ? "after" : "before") the landing"
    }

    private func sentence(_ truncation: TrackTruncation) -> String {
        switch truncation.reason {
        case .landed: "Left out \(truncation.count) track points after the landing."
        case .newFlight: "Left out \(truncation.count) track points of the flight before."
        }
    }

    /// ` 3.4 kilometres ahead, half left`; nothing while nobody knows where the crew is.
    private func seen(_ goal: Coordinate, from car: CarPosition?) -> String {
        car.map { " " + place(RelativePosition(of: goal, from: $0)) } ?? ""
    }

    private func spoken(_ type: SondeType?) -> String { type.map { ", type \($0.name)" } ?? "" }

    /// `403.5 megahertz, type RS41`
    private func spoken(_ tuning: Tuning) -> String {
        "\(tuning.frequencyMHz) megahertz, type \(tuning.sondeType.name)"
    }

    private func whole(_ metres: Double) -> Int { Int(exactly: metres.rounded()) ?? 0 }
}

// MARK: - Numbers

extension English {
    /// `350 metres`, `3.4 kilometres`, `12 kilometres`
    private func distance(_ metres: Double) -> String {
        guard metres.isFinite, metres >= 0 else { return "an unknown distance" }
        if metres < 1000 { return "\(Int((metres / 10).rounded()) * 10) metres" }
        let tenths = Int((min(metres, 1e8) / 100).rounded())
        if tenths >= 100 { return "\(Int((Double(tenths) / 10).rounded())) kilometres" }
        return tenths % 10 == 0 ? kilometres(tenths / 10) : "\(tenths / 10).\(tenths % 10) kilometres"
    }

    private func kilometres(_ count: Int) -> String { count == 1 ? "1 kilometre" : "\(count) kilometres" }

    /// `north-east`
    private func direction(_ degrees: Double) -> String {
        let words = [
            "north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west",
        ]
        guard degrees.isFinite else { return "an unknown direction" }
        let index = Int((degrees / 45).rounded()) % 8
        return words[(index + 8) % 8]
    }

    /// `41 minutes`, `1 minute`
    private func minutes(_ duration: Duration) -> String {
        let minutes = max(0, Int((duration.inSeconds / 60).rounded()))
        return minutes == 1 ? "1 minute" : "\(minutes) minutes"
    }
}

// MARK: - Places

extension English {
    /// Where something is as the driver sees it: `3.4 kilometres ahead, half left`; without a course
    /// `3.4 kilometres to the north-east`.
    private func place(_ relative: RelativePosition) -> String {
        let distance = distance(relative.distanceMetres)
        guard let turn = relative.relativeBearingDegrees else {
            return "\(distance) to the \(direction(relative.bearingDegrees))"
        }
        let side = turn < 0 ? "left" : "right"
        switch abs(turn) {
        case ..<22.5: return "\(distance) ahead"
        case ..<67.5: return "\(distance) ahead, half \(side)"
        case ..<112.5: return "\(distance) to the \(side)"
        case ..<157.5: return "\(distance) behind, half \(side)"
        default: return "\(distance) behind"
        }
    }

    /// `ahead`, `half left`, `to the north-east`
    private func side(_ relative: RelativePosition) -> String {
        guard let turn = relative.relativeBearingDegrees else { return "to the \(direction(relative.bearingDegrees))" }
        let side = turn < 0 ? "left" : "right"
        switch abs(turn) {
        case ..<22.5: return "straight ahead"
        case ..<67.5: return "half \(side)"
        case ..<112.5: return "to the \(side)"
        case ..<157.5: return "behind, half \(side)"
        default: return "behind"
        }
    }
}
