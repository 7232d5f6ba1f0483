public import GatewayReports
public import ReceiverProtocol

/// Names one thing that is asked of the outside.
public struct CallID: Hashable, Sendable {
    public let value: UInt64

    public init(_ value: UInt64) {
        self.value = value
    }
}

/// What is asked of the outside. Each is answered by ``GatewayEvent/answered(_:_:)`` with its id.
public enum Request: Equatable, Sendable {
    /// One ``Answer/sondes(_:)`` or ``Answer/failed(_:)``.
    case sondes(SondeHubQuery)
    /// Any number of ``Answer/trackPart(_:)``, then ``Answer/trackEnd`` or ``Answer/failed(_:)``.
    case track(SondeSerial, TrackDuration)
    /// One ``Answer/prediction(_:)`` or ``Answer/failed(_:)``.
    case tawhiri(TawhiriQuery)
    /// As `tawhiri`: what SondeHub itself predicts.
    case sondeHubPrediction(SondeSerial)
    /// One ``Answer/route(_:)`` or ``Answer/failed(_:)``.
    case route(RouteQuery)
    /// One ``Answer/carShared`` or ``Answer/failed(_:)``.
    case shareCar(SharedCar)
}

public enum Answer: Equatable, Sendable {
    case sondes(SondeHubAnswer)
    case trackPart(SondeHubAnswer)
    /// The track is whole.
    case trackEnd
    /// Nil where there is none.
    case prediction(OnlinePrediction?)
    case route(RouteAnswer)
    /// The service has taken it.
    case carShared
    case failed(OnlineServiceError)

    /// Nothing more comes under this id.
    public var isLast: Bool {
        switch self {
        case .sondes, .trackEnd, .prediction, .route, .carShared, .failed: true
        case .trackPart: false
        }
    }
}

/// What is being asked. A late answer, to a call that was cancelled or has ended, is dropped here and nowhere else.
struct Calls: Equatable, Sendable {
    private var issued: UInt64 = 0
    private var open: Set<CallID> = []

    /// A call begins.
    mutating func begin() -> CallID {
        issued += 1
        let id = CallID(issued)
        open.insert(id)
        return id
    }

    /// - Returns: false when nobody waits for it (any more).
    mutating func admits(_ answer: Answer, to id: CallID) -> Bool {
        answer.isLast ? open.remove(id) != nil : open.contains(id)
    }

    /// - Returns: false when there is nothing to cancel.
    mutating func cancel(_ id: CallID) -> Bool { open.remove(id) != nil }
}
