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

/// What is being asked, and by which part. A late answer, to a call that was cancelled or has ended, is dropped here and
/// nowhere else.
struct Calls: Equatable, Sendable {
    /// The part that asked: it alone gets the answer.
    enum Owner: Equatable, Sendable {
        case sondeHub, gapFill, predictions, routing, carSharing
    }

    private var issued: UInt64 = 0
    private var open: [CallID: Owner] = [:]

    /// A call begins.
    mutating func begin(for owner: Owner) -> CallID {
        issued += 1
        let id = CallID(issued)
        open[id] = owner
        return id
    }

    /// - Returns: who waits for the answer; nil if nobody does (any more).
    mutating func owner(of answer: Answer, to id: CallID) -> Owner? {
        answer.isLast ? open.removeValue(forKey: id) : open[id]
    }

    /// - Returns: false when there is nothing to cancel.
    mutating func cancel(_ id: CallID) -> Bool { open.removeValue(forKey: id) != nil }
}
