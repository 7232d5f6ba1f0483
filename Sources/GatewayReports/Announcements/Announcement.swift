public import FlightMath
public import ReceiverProtocol

/// Everything that the gateway says happened: name, level, sentence and fields of every event in one place, so that what
/// is read aloud can be proof-read.
public enum Announcement: Equatable, Sendable {
    case receiverOnline(name: String, firmware: String?)
    case receiverLost(LinkLoss)
    case adapterRepaired(LinkRepair, withoutLink: Duration)
    /// The transport's own sentence.
    case advice(String)
    case smallPackets(mtu: Int)
    case aprsNames
    case stateChanged(TelemetryState, from: TelemetryState, TelemetryState.Reason)
    case sondeChanged(to: SondeSerial, from: SondeSerial?, type: SondeType?)
    case flightResumed(SondeSerial, last: TrackPoint)
    case burst(TrackPoint)
    /// What was taken for the burst was none.
    case burstRevoked(TrackPoint)
    case landed(TrackPoint)
    /// Nobody has seen where: the guess is the prediction's, or whatever else is the best to be had.
    case landedInSilence(lastHeard: TrackPoint, guess: Coordinate)
    /// Somebody carries it.
    case moved(TrackPoint)
    case airborne
    case trackTruncated(TrackTruncation)
    case firstPrediction(Coordinate, timeToGo: Duration?)
    /// From the last one that was announced.
    case landingMoved(to: Coordinate, metres: Double, degrees: Double)
    case scored(LandingScore)
    case below10km(TrackPoint)
    /// The car is so near to the landing point.
    case distance(metres: Double, to: Coordinate)
    /// The car will be there before the sonde now, or after it: the margin's sign has changed.
    case arrival(margin: Duration, isNoRoadNear: Bool, isStraight: Bool = false)
    /// From the last road to the landing point.
    case noRoadNear(metres: Double)
    case frequencyProposal(Tuning)
    case frequencyTuned(Tuning)
    case storeFailed(StoreError)
    case storeRecovered
    /// The store's own sentence.
    case storeReplaced(String)
    /// The car's position is on SondeHub from now on, under that call sign.
    case carPublic(String)
    case carHidden(String)
    /// On the same broker; both write the same topics.
    case otherGateway(id: String)
    case gatewayStopped

    /// The event's word, published.
    public var name: String { event.rawValue }

    public var event: EventName {
        switch self {
        case .receiverOnline: .receiverOnline
        case .receiverLost: .receiverLost
        case .adapterRepaired: .adapterRepaired
        case .advice: .advice
        case .smallPackets: .smallPackets
        case .aprsNames: .aprsNames
        case .stateChanged: .stateChanged
        case .sondeChanged: .sondeChanged
        case .flightResumed: .flightResumed
        case .burst: .burst
        case .burstRevoked: .burstRevoked
        case .landed, .landedInSilence: .landed
        case .moved: .moved
        case .trackTruncated: .trackTruncated
        case .airborne: .airborne
        case .firstPrediction: .firstPrediction
        case .landingMoved: .landingMoved
        case .scored: .scored
        case .below10km: .below10km
        case .distance: .distance
        case .arrival: .arrival
        case .noRoadNear: .noRoadNear
        case .frequencyProposal: .frequencyProposal
        case .frequencyTuned: .frequencyTuned
        case .storeFailed: .storeFailed
        case .storeRecovered: .storeRecovered
        case .storeReplaced: .storeReplaced
        case .carPublic: .carPublic
        case .carHidden: .carHidden
        case .otherGateway: .otherGateway
        case .gatewayStopped: .gatewayStopped
        }
    }

    public var level: GatewayNote.Level {
        switch self {
        case .advice, .storeFailed, .storeReplaced: .error
        case .receiverLost, .adapterRepaired, .smallPackets, .aprsNames, .otherGateway: .warning
        case .receiverOnline, .sondeChanged, .flightResumed, .burst, .burstRevoked, .landed, .landedInSilence, .moved,
            .airborne, .firstPrediction, .landingMoved, .scored, .below10km, .distance, .arrival, .noRoadNear,
            .frequencyProposal, .frequencyTuned, .storeRecovered, .carPublic, .carHidden:
            .notice
        case .stateChanged, .trackTruncated, .gatewayStopped: .info
        }
    }

    /// Fit to be read aloud, without the car.
    public var text: String { text(from: nil) }

    /// Fit to be read aloud.
    /// - Parameter car: where the crew is; nil where nobody knows.
    func text(from car: CarPosition?) -> String {
        switch self {
        case .receiverOnline(let name, let firmware):
            "Receiver \(name) online\(firmware.map { ", firmware \($0)" } ?? "")."
        case .receiverLost(let loss): "Receiver lost: \(loss.explanation)."
        case .adapterRepaired(let repair, let duration):
            "No receiver for \(duration.components.seconds) seconds: "
                + (repair == .powerCycle
                    ? "switching the Bluetooth adapter off and on." : "resetting the Bluetooth adapter.")
        case .advice(let text), .storeReplaced(let text): text
        case .smallPackets(let mtu):
            "The receiver's Bluetooth packets hold only \(mtu - 3) bytes: long frames arrive in pieces or cut."
        case .aprsNames: "The receiver shows APRS names. Set aprsName to 0 for serials that match SondeHub's."
        case .stateChanged(let state, _, let reason): Self.sentence(state, reason)
        case .sondeChanged(let new, nil, let type): "First sonde \(new)\(Self.spoken(type))."
        case .sondeChanged(let new, let old?, let type): "New sonde \(new)\(Self.spoken(type)), after \(old)."
        case .flightResumed(let serial, _): "Resuming the flight of \(serial)."
        case .burst(let point): "Burst at \(Self.whole(point.altitudeMetres)) metres."
        case .burstRevoked: "The balloon is climbing again: it has not burst."
        case .landed(let point):
            "The sonde has landed\(Self.spoken(point.coordinate, from: car))."
        case .landedInSilence(_, let guess):
            "Nobody hears the sonde any more: it has probably landed\(Self.spoken(guess, from: car))."
        case .below10km: "The sonde is below 10 kilometres."
        case .distance(let metres, let place):
            "\(Spoken.distance(metres)) to go\(car.map { ", " + Spoken.side(Sight(of: place, from: $0)) } ?? "")."
        case .arrival(let margin, _, true): "In a straight line you would arrive \(Self.spoken(margin))."
        case .arrival(let margin, let isNoRoadNear, false): Self.sentence(margin, isNoRoadNear: isNoRoadNear)
        case .noRoadNear(let metres):
            "No road near the landing point: the last one ends \(Spoken.distance(metres)) away."
        case .moved: "Somebody is moving the sonde."
        case .airborne: "The sonde is in the air again."
        case .trackTruncated(let truncation): Self.sentence(truncation)
        case .firstPrediction(_, let time):
            "First landing prediction\(time.map { ", in \(Spoken.minutes($0))" } ?? "")."
        case .landingMoved(_, let metres, let degrees):
            "The landing point has moved \(Spoken.distance(metres)) \(Spoken.direction(degrees))."
        case .scored(let score): Self.sentence(score)
        case .frequencyProposal(let tuning): "The sonde transmits on \(Self.spoken(tuning)). Tune the receiver?"
        case .frequencyTuned(let tuning): "Tuning the receiver to \(Self.spoken(tuning))."
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

    var reason: String? {
        switch self {
        case .receiverLost(let loss): loss.code
        case .adapterRepaired(let repair, _): repair.rawValue
        case .stateChanged(_, _, let reason): reason.rawValue
        case .landed: PhaseReason.vectorTest.rawValue
        case .landedInSilence: PhaseReason.sondeHubSilent.rawValue
        case .trackTruncated(let truncation): truncation.reason.rawValue
        case .storeFailed(let error): error.code.rawValue
        case .receiverOnline, .advice, .smallPackets, .aprsNames, .sondeChanged, .flightResumed, .burst, .burstRevoked,
            .moved, .airborne, .firstPrediction, .landingMoved, .scored, .below10km, .distance, .arrival, .noRoadNear,
            .frequencyProposal, .frequencyTuned, .storeRecovered, .storeReplaced, .carPublic, .carHidden,
            .otherGateway,
            .gatewayStopped:
            nil
        }
    }

    func fields(_ json: inout JSONText) {
        switch self {
        case .stateChanged(let state, let previous, _):
            json.field("state", state.rawValue)
            json.field("previous_state", previous.rawValue)
        case .sondeChanged(let serial, let previous, let type):
            json.field("serial", serial.canonical)
            json.field("previous_serial", previous?.canonical)
            json.field("sonde_type", type?.name)
        case .flightResumed(let serial, let point):
            json.field("serial", serial.canonical)
            json.fields(of: point)
        case .burst(let point), .burstRevoked(let point), .landed(let point), .moved(let point), .below10km(let point):
            json.fields(of: point)
        case .landedInSilence(let point, let guess):
            json.fields(of: point)
            json.field("guess") { $0.fields(of: guess) }
        case .trackTruncated(let truncation): json.field("points", truncation.count)
        case .firstPrediction(let place, _): json.fields(of: place)
        case .landingMoved(let place, let metres, let degrees):
            json.fields(of: place)
            json.field("distance_m", metres, decimals: 1)
            json.field("direction_deg", degrees, decimals: 1)
        case .distance(let metres, let place):
            json.fields(of: place)
            json.field("distance_m", metres, decimals: 1)
        case .arrival(let margin, _, _): json.field("margin_s", Int(clamping: margin.components.seconds))
        case .noRoadNear(let metres): json.field("distance_m", metres, decimals: 1)
        case .scored(let score): json.field("score") { score.fields(&$0) }
        case .frequencyProposal(let tuning), .frequencyTuned(let tuning): json.fields(of: tuning)
        case .receiverOnline, .receiverLost, .adapterRepaired, .advice, .smallPackets, .aprsNames, .airborne,
            .storeFailed, .storeRecovered, .storeReplaced, .carPublic, .carHidden, .otherGateway,
            .gatewayStopped:
            break  // The text says it all.
        }
    }

    // MARK: - Words

    private static func sentence(_ state: TelemetryState, _ reason: TelemetryState.Reason) -> String {
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
    private static func sentence(_ score: LandingScore) -> String {
        let judged = score.inForce.map { [$0] } ?? Array(score.errors.values)
        let early = judged.compactMap(\.at15Minutes).min()
        if let early { return "The prediction was \(Spoken.distance(early)) off 15 minutes before landing." }
        let last = judged.compactMap(\.last).min()
        return last.map { "The last prediction was \(Spoken.distance($0)) off." } ?? "No prediction could be judged."
    }

    private static func sentence(_ margin: Duration, isNoRoadNear: Bool) -> String {
        let what = isNoRoadNear ? "You will reach the road's end" : "You will arrive"
        return "\(what) \(spoken(margin))." + (isNoRoadNear ? " No road near the landing point." : "")
    }

    /// `4 minutes before the landing`
    private static func spoken(_ margin: Duration) -> String {
        "\(Spoken.minutes(margin < .zero ? .zero - margin : margin)) \(margin < .zero ? "after" : "before") the landing"
    }

    private static func sentence(_ truncation: TrackTruncation) -> String {
        switch truncation.reason {
        case .landed: "Left out \(truncation.count) track points after the landing."
        case .newFlight: "Left out \(truncation.count) track points of the flight before."
        }
    }

    /// ` 3.4 kilometres ahead, half left`; nothing while nobody knows where the crew is.
    private static func spoken(_ place: Coordinate, from car: CarPosition?) -> String {
        car.map { " " + Spoken.place(Sight(of: place, from: $0)) } ?? ""
    }

    private static func spoken(_ type: SondeType?) -> String { type.map { ", type \($0.name)" } ?? "" }

    /// `403.5 megahertz, type RS41`
    private static func spoken(_ tuning: Tuning) -> String {
        "\(tuning.frequencyMHz) megahertz, type \(tuning.sondeType.name)"
    }

    private static func whole(_ metres: Double) -> Int { Int(exactly: metres.rounded()) ?? 0 }
}
