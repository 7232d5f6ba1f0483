import FlightMath
import GatewayReports
import ReceiverProtocol

// The machine's parts and values by subject.

extension GatewayMachine {
    /// The run of the gateway.
    struct Run: Sendable {
        var info: InfoReport
        /// When the gateway was started.
        let startedAt: Moment
        /// When this run began, by the gateway's clock. Later points belong to this run. Nil before the first event.
        var began: WallTime?
        var clock = ClockCorrection()
        var wallClock = RunClock()
        /// The store has opened, or the wait for it is over.
        var hasStarted = false
        var isStopping = false
        /// Another gateway with this one's id.
        var otherGateway = OtherGateway()
        /// Why the store records nothing now; nil while it works.
        var storeFault: StoreError?

        func facts(isPageOpen: Bool) -> RunFacts {
            RunFacts(
                hasStarted: hasStarted, isStopping: isStopping, isTimeKnown: clock.isRight, isPageOpen: isPageOpen)
        }
    }

    /// The frequencies that the gateway proposes and searches.
    struct Tunings: Sendable {
        var sync: FrequencySync
        var search: Search

        var facts: TuningFacts {
            TuningFacts(
                order: sync.order, hasProposal: sync.open != nil, searched: search.covered, searchOrder: search.order)
        }
    }

    /// The car on its way, and what is said to its crew.
    struct Road: Sendable {
        var car: Car
        var routing: Routing
        var crews: Crews
        var sight = Sight()
        var chase = Chase()
        var carSharing: CarSharing
        var carTrail: CarTrail
        var milestones = Milestones()
        var spokenStatus = StatusTeller()

        var facts: RoadFacts {
            RoadFacts(
                car: car.position, trip: routing.trip, mode: routing.mode.value, nearestCrew: crews.nearest,
                isInSight: sight.isClear)
        }
    }

    /// What earlier runs, earlier flights and commands have left.
    struct Kept: Sendable {
        /// The memory of earlier runs has arrived.
        var isRecalled = false
        /// The settings that commands changed before the memory arrived. They have priority.
        var setMeanwhile: Set<StoredSetting> = []
        var published = PublishedTimes()
        var seenPlaces = SeenPlaces()
        var earlierFlights = EarlierFlights()
        /// The parameters of predictions.
        var predictionParameters: PredictionParameters
        /// The landing points that commands have set, also for sondes that are no longer followed.
        var placesSetByHand = StoredPlaces()
    }

    /// What health counts.
    struct Counts: Sendable {
        /// The refused frames and positions, by reason.
        var rejects: [String: Int] = [:]
        var counters: [Counter: Int] = [:]
        /// The number of tracks requested for sondes that are no longer followed.
        var earlierTracks = 0
        /// The refused height files that the log has named.
        var namedHeightFiles: Set<String> = []

        mutating func add(_ turn: Turn) {
            for counter in turn.counted { counters[counter, default: 0] += 1 }
            for refusal in turn.refusals { rejects[refusal.reason, default: 0] += refusal.count }
        }
    }

    /// What goes out: calls, sentences, timers, reports.
    struct Outgoing: Sendable {
        var calls = Calls()
        var speech: Speech
        var timers = TimerBook()
        /// The newest reports of the machine's state.
        var reported: [Report] = []
    }
}
