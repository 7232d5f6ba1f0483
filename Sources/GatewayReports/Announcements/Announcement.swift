public import FlightMath
public import ReceiverProtocol

/// Everything that the gateway says happened, as values: name, level and fields of every event. A ``Phrasebook`` makes the
/// sentence.
public enum Announcement: Equatable, Sendable {
    case receiverOnline(name: String, firmware: String?)
    case receiverLost(LinkLoss)
    /// At least one of the two values is known.
    case receiverBatteryLow(percent: Int?, volts: Double?)
    /// The gateway has switched the Bluetooth adapter off and on.
    case adapterRepaired(withoutLink: Duration)
    /// Repairs of the link have not helped.
    case advice(LinkAdvice)
    case smallPackets(mtu: Int)
    case aprsNames
    case stateChanged(TelemetryState, from: TelemetryState, TelemetryState.Reason)
    /// `isLongAfter`: nobody has heard the sonde before within an hour, so it says nothing about the new one.
    case sondeChanged(to: SondeSerial, from: SondeSerial?, type: SondeType?, isLongAfter: Bool = false)
    case flightResumed(SondeSerial, last: TrackPoint)
    /// `landing` is the first prediction after the burst; nil without one.
    case burst(TrackPoint, landing: SpokenLanding? = nil)
    /// The balloon climbs again, so it had not burst.
    case burstRevoked(TrackPoint)
    /// The sonde lies at this point, near this town.
    case landed(TrackPoint, LandingTime = .seen, near: NearbyTown? = nil)
    /// The sonde falls at this point, so it had not landed.
    case landingRevoked(TrackPoint)
    /// Nobody has seen the landing. The guess is the best landing point that is known, else the point where the sonde
    /// was last heard.
    case landedInSilence(lastHeard: TrackPoint, guess: Coordinate)
    /// Somebody carries the sonde, which is at this point now.
    case moved(TrackPoint)
    case airborne
    case trackTruncated(TrackTruncation)
    case firstPrediction(SpokenLanding)
    /// Distance and direction are from the landing point that was last announced.
    case landingMoved(to: SpokenLanding, metres: Double, degrees: Double)
    case scored(LandingScore)
    case below10km(TrackPoint)
    /// The sonde's own timer switches it off at this time.
    case switchesOff(at: WallTime, in: Duration)
    /// The sonde passes a round altitude on its way up or down.
    case altitude(metres: Double, isRising: Bool)
    /// The car has come within this distance of the landing point.
    case distance(metres: Double, to: Coordinate)
    /// The margin's sign has changed: the car will now arrive before the sonde, or now after it.
    case arrival(margin: Duration, isNoRoadNear: Bool, isStraight: Bool = false)
    /// The distance is from the end of the last road to the landing point.
    case noRoadNear(metres: Double)
    /// Another crew's car, by its call sign, stands at the landing point.
    case crewAtSonde(String)
    case frequencyProposal(Tuning)
    case frequencyTuned(Tuning)
    case storeFailed(StoreError)
    case storeRecovered
    /// The text is the store's own sentence.
    case storeReplaced(String)
    /// The car's position is on SondeHub from now on, under this call sign.
    case carPublic(String)
    case carHidden(String)
    /// The search has found a sonde on this tuning.
    case searchFound(Tuning)
    /// A sonde that will start at this site should land near the crew.
    case launchNear(String, at: WallTime, metres: Double, landing: Coordinate?)
    /// Somebody has reported the followed sonde's recovery; or SondeHub has taken our own report.
    case recoveryReported(Recovery, isOwn: Bool)
    /// SondeHub does not take our report. The last text is SondeHub's own sentence.
    case recoveryRejected(SondeSerial, RecoveryRefusal, why: String)
    /// Another gateway with this id uses the same broker, so both write the same topics.
    case otherGateway(id: String)
    case gatewayStopped
    case status(SpokenStatus)

    /// The event's published name.
    public var name: String { event.rawValue }

    public var event: EventName {
        switch self {
        case .receiverOnline: .receiverOnline
        case .receiverLost: .receiverLost
        case .receiverBatteryLow: .receiverBatteryLow
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
        case .landingRevoked: .landingRevoked
        case .moved: .moved
        case .trackTruncated: .trackTruncated
        case .airborne: .airborne
        case .firstPrediction: .firstPrediction
        case .landingMoved: .landingMoved
        case .scored: .scored
        case .below10km: .below10km
        case .switchesOff: .switchesOff
        case .altitude: .altitude
        case .distance: .distance
        case .arrival: .arrival
        case .noRoadNear: .noRoadNear
        case .crewAtSonde: .crewAtSonde
        case .frequencyProposal: .frequencyProposal
        case .frequencyTuned: .frequencyTuned
        case .storeFailed: .storeFailed
        case .storeRecovered: .storeRecovered
        case .storeReplaced: .storeReplaced
        case .carPublic: .carPublic
        case .carHidden: .carHidden
        case .launchNear: .launchNear
        case .searchFound: .searchFound
        case .recoveryReported: .recoveryReported
        case .recoveryRejected: .recoveryRejected
        case .otherGateway: .otherGateway
        case .gatewayStopped: .gatewayStopped
        case .status: .status
        }
    }

    public var level: GatewayNote.Level {
        switch self {
        case .advice, .storeFailed, .storeReplaced: .error
        case .receiverLost, .receiverBatteryLow, .adapterRepaired, .smallPackets, .aprsNames, .otherGateway,
            .recoveryRejected:
            .warning
        case .receiverOnline, .sondeChanged, .flightResumed, .burst, .burstRevoked, .landed, .landedInSilence,
            .landingRevoked, .moved, .airborne, .firstPrediction, .landingMoved, .scored, .below10km,
            .switchesOff, .altitude, .distance, .arrival, .noRoadNear,
            .crewAtSonde, .frequencyProposal, .frequencyTuned, .storeRecovered, .carPublic, .carHidden,
            .recoveryReported, .launchNear, .searchFound:
            .notice
        case .stateChanged, .trackTruncated, .gatewayStopped, .status: .info
        }
    }

    var reason: String? {
        switch self {
        case .receiverLost(let loss): loss.code
        case .adapterRepaired: LinkRepair.powerCycle.rawValue
        case .stateChanged(_, _, let reason): reason.rawValue
        case .landed(_, .unknown, _): PhaseReason.heardOnGround.rawValue
        case .landed: PhaseReason.vectorTest.rawValue
        case .landedInSilence: PhaseReason.sondeHubSilent.rawValue
        case .trackTruncated(let truncation): truncation.reason.rawValue
        case .storeFailed(let error): error.code.rawValue
        case .recoveryRejected(_, let reason, _): reason.rawValue
        case .receiverOnline, .receiverBatteryLow, .advice, .smallPackets, .aprsNames, .sondeChanged, .flightResumed,
            .burst, .burstRevoked,
            .landingRevoked, .moved, .airborne, .firstPrediction, .landingMoved, .scored, .below10km,
            .switchesOff, .altitude, .distance, .arrival, .noRoadNear,
            .crewAtSonde, .frequencyProposal, .frequencyTuned, .searchFound, .storeRecovered, .storeReplaced,
            .carPublic, .carHidden,
            .otherGateway,
            .launchNear, .recoveryReported, .gatewayStopped, .status:
            nil
        }
    }

    func fields(_ json: inout JSONText) {
        switch self {
        case .stateChanged(let state, let previous, _):
            json.field("state", state.rawValue)
            json.field("previous_state", previous.rawValue)
        case .sondeChanged(let serial, let previous, let type, _):
            json.field("serial", serial.canonical)
            json.field("previous_serial", previous?.canonical)
            json.field("sonde_type", type?.name)
        case .flightResumed(let serial, let point):
            json.field("serial", serial.canonical)
            json.fields(of: point)
        case .burst(let point, _), .burstRevoked(let point), .landingRevoked(let point), .moved(let point),
            .below10km(let point):
            json.fields(of: point)
        case .landed(let point, let time, _): json.fields(of: point, landed: time)
        case .landedInSilence(let point, let guess):
            json.fields(of: point)
            json.field("guess") { $0.fields(of: guess) }
        case .trackTruncated(let truncation): json.field("points", truncation.count)
        case .switchesOff(let time, _): json.field("transmits_until_at", time)
        case .altitude(let metres, let isRising):
            json.field("altitude_m", metres, decimals: 1)
            json.field("rising", isRising)
        case .receiverBatteryLow(let percent, let volts):
            json.field("battery_pct", percent)
            json.field("battery_v", volts, decimals: 2)
        case .firstPrediction(let landing): json.fields(of: landing.place)
        case .landingMoved(let landing, let metres, let degrees):
            json.fields(of: landing.place)
            json.field("distance_m", metres, decimals: 1)
            json.field("direction_deg", degrees, decimals: 1)
        case .distance(let metres, let place):
            json.fields(of: place)
            json.field("distance_m", metres, decimals: 1)
        case .arrival(let margin, _, _): json.field("margin_s", Int(clamping: margin.components.seconds))
        case .noRoadNear(let metres): json.field("distance_m", metres, decimals: 1)
        case .crewAtSonde(let name): json.field("callsign", name)
        case .scored(let score): json.field("score") { score.fields(&$0) }
        case .frequencyProposal(let tuning), .frequencyTuned(let tuning), .searchFound(let tuning):
            json.fields(of: tuning)
        case .launchNear(let site, let time, let metres, _):
            json.field("site", site)
            json.field("launch_at", time)
            json.field("distance_m", metres, decimals: 1)
        case .recoveryReported(let recovery, let isOwn):
            json.field("serial", recovery.serial.canonical)
            json.field("recovery", recovery.state.rawValue)
            json.field("by", recovery.by)
            json.field("own", isOwn)
        case .recoveryRejected(let serial, _, let why):
            json.field("serial", serial.canonical)
            json.field("why", why)
        case .receiverOnline, .receiverLost, .adapterRepaired, .advice, .smallPackets, .aprsNames, .airborne,
            .storeFailed, .storeRecovered, .storeReplaced, .carPublic, .carHidden, .otherGateway,
            .gatewayStopped, .status:
            break  // The sentence says it all.
        }
    }
}
