public import FlightMath
public import GatewayReports
public import ReceiverProtocol

/// Identifies a call to a network service.
public struct CallID: Hashable, Sendable {
    public let value: UInt64

    public init(_ value: UInt64) {
        self.value = value
    }
}

/// A call to a network service. ``GatewayEvent/answered(_:_:)`` brings its answers, with its id.
public enum Request: Equatable, Sendable {
    /// One ``Answer/sondes(_:)`` or ``Answer/failed(_:)``.
    case sondes(SondeHubQuery)
    /// Any number of ``Answer/trackPart(_:)``, then ``Answer/trackEnd`` or ``Answer/failed(_:)``.
    case track(SondeSerial, TrackDuration)
    /// One ``Answer/prediction(_:)`` or ``Answer/failed(_:)``.
    case tawhiri(TawhiriQuery)
    /// SondeHub's own prediction. Answered like `tawhiri`.
    case sondeHubPrediction(SondeSerial)
    /// One ``Answer/terrain(_:)``.
    case terrain(around: Coordinate)
    /// The heights of the ground along lines. One ``Answer/terrain(_:)``.
    case groundAlong([GroundLine])
    /// SondeHub's predictions of all sondes within a radius, metres. One ``Answer/landings(_:)`` or
    /// ``Answer/failed(_:)``.
    case landings(Coordinate, radiusMetres: Double)
    /// All launch sites. One ``Answer/sites(_:)`` or ``Answer/failed(_:)``.
    case sites
    /// Reports of recovery. One ``Answer/recoveries(_:)`` or ``Answer/failed(_:)``.
    case recoveries(RecoveryQuery)
    /// One ``Answer/recoveryTaken`` or ``Answer/failed(_:)``.
    case reportRecovery(Recovery)
    /// One ``Answer/route(_:)`` or ``Answer/failed(_:)``.
    case route(RouteQuery)
    /// One ``Answer/carShared`` or ``Answer/failed(_:)``.
    case shareCar(SharedCar)
    /// The other crews near the places. One ``Answer/crews(_:)`` or ``Answer/failed(_:)``.
    case crews(near: [Coordinate])
    /// SondeHub's live frames of one sonde, under SondeHub's name for it. Any number of ``Answer/stream(_:)``, then
    /// ``Answer/failed(_:)``: every connection ends some time.
    case stream(SondeSerial)
}

/// An answer to a ``Request``.
public enum Answer: Equatable, Sendable {
    case sondes(SondeHubAnswer)
    case trackPart(SondeHubAnswer)
    /// The track is complete.
    case trackEnd
    /// Nil if there is none.
    case prediction(OnlinePrediction?)
    case terrain(TerrainAnswer)
    case landings([SondeLanding])
    case sites([LaunchSite])
    case recoveries([Recovery])
    /// SondeHub has accepted the report.
    case recoveryTaken
    case route(RouteAnswer)
    /// SondeHub has accepted the car's position.
    case carShared
    case stream(SondeHubStreamNews)
    case crews([CrewPosition])
    case failed(OnlineServiceError)

    /// Whether this is the last answer to its call.
    public var isLast: Bool {
        if case .trackPart = self { return false }
        if case .stream = self { return false }
        return true
    }
}

/// An answer with the id of its call. The errand that made the call takes it (``Errand/take(_:_:)``).
struct Reply: Sendable {
    let id: CallID
    let answer: Answer
}

/// The open calls. An answer to a call that was cancelled or has ended is dropped here.
struct Calls: Equatable, Sendable {
    private var issued: UInt64 = 0
    private var open: Set<CallID> = []

    /// Registers a call.
    mutating func begin() -> CallID {
        issued += 1
        let id = CallID(issued)
        open.insert(id)
        return id
    }

    /// - Returns: whether a part waits for the answer.
    mutating func receive(_ reply: Reply) -> Bool {
        reply.answer.isLast ? open.remove(reply.id) != nil : open.contains(reply.id)
    }

    /// - Returns: false if the call is not open.
    mutating func cancel(_ id: CallID) -> Bool { open.remove(id) != nil }
}
