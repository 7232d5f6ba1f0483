/// The events' names on the topic `event`.
public enum EventName: String, CaseIterable, Sendable {
    case receiverOnline = "receiver_online"
    case receiverLost = "receiver_lost"
    case receiverBatteryLow = "receiver_battery_low"
    case adapterRepaired = "adapter_repaired"
    case advice
    case smallPackets = "small_packets"
    case aprsNames = "aprs_names"
    case stateChanged = "state_changed"
    case sondeChanged = "sonde_changed"
    case flightResumed = "flight_resumed"
    case burst
    case burstRevoked = "burst_revoked"
    case below10km = "below_10_km"
    case switchesOff = "switches_off"
    case altitude
    case landed
    case landingRevoked = "landing_revoked"
    case moved
    case trackTruncated = "track_truncated"
    case airborne
    case firstPrediction = "first_prediction"
    case landingMoved = "landing_moved"
    case scored
    case distance
    case arrival
    case noRoadNear = "no_road_near"
    case crewAtSonde = "crew_at_sonde"
    case frequencyProposal = "frequency_proposal"
    case frequencyTuned = "frequency_tuned"
    case storeFailed = "store_failed"
    case storeRecovered = "store_recovered"
    case storeReplaced = "store_replaced"
    case carPublic = "car_public"
    case carHidden = "car_hidden"
    case searchFound = "search_found"
    case launchNear = "launch_near"
    case recoveryReported = "recovery_reported"
    case recoveryRejected = "recovery_rejected"
    case otherGateway = "other_gateway"
    case gatewayStopped = "gateway_stopped"
    case status
    /// The sentence of an earlier event, whose turn has come.
    case said

    /// How soon a driver has to hear an event.
    public enum Importance: Int, Comparable, Sendable {
        /// It concerns the gateway itself.
        case low
        case normal
        /// It changes what the crew does next.
        case high
        /// The chase is about it.
        case highest

        public static func < (left: Importance, right: Importance) -> Bool { left.rawValue < right.rawValue }
    }

    public var importance: Importance {
        switch self {
        case .landed, .landingRevoked: .highest
        case .burst, .burstRevoked, .receiverLost, .moved, .airborne, .switchesOff, .arrival, .recoveryReported: .high
        case .receiverOnline, .receiverBatteryLow, .sondeChanged, .below10km, .altitude, .status, .firstPrediction,
            .landingMoved, .scored, .distance,
            .noRoadNear, .crewAtSonde, .frequencyProposal, .frequencyTuned, .searchFound, .advice, .storeFailed,
            .storeReplaced,
            .carPublic,
            .carHidden, .otherGateway, .launchNear, .recoveryRejected:
            .normal
        case .adapterRepaired, .smallPackets, .aprsNames, .stateChanged, .flightResumed, .trackTruncated,
            .storeRecovered, .gatewayStopped, .said:
            .low
        }
    }
}
