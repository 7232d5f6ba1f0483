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
    /// One ``Answer/route(_:)`` or ``Answer/failed(_:)``.
    case route(RouteQuery)
    /// One ``Answer/carShared`` or ``Answer/failed(_:)``.
    case shareCar(SharedCar)
}

public enum Answer: Equatable, Sendable {
    case sondes(SondeHubAnswer)
    case trackPart(SondeHubAnswer)
    /// The track is complete.
    case trackEnd
    /// Nil if there is none.
    case prediction(OnlinePrediction?)
    case route(RouteAnswer)
    /// SondeHub has accepted the car's position.
    case carShared
    case failed(OnlineServiceError)

    /// Whether this is the last answer to its call.
    public var isLast: Bool {
        switch self {
        case .sondes, .trackEnd, .prediction, .route, .carShared, .failed: true
        case .trackPart: false
        }
    }
}

/// The open calls and the part of the machine that made each. An answer to a call that was cancelled or has ended is
/// dropped here.
struct Calls: Equatable, Sendable {
    /// The part that made the call. Only this part gets the answer.
    enum Owner: Equatable, Sendable {
        case sondeHub, gapFill, predictions, routing, carSharing
    }

    private var issued: UInt64 = 0
    private var open: [CallID: Owner] = [:]

    /// Registers a call.
    mutating func begin(for owner: Owner) -> CallID {
        issued += 1
        let id = CallID(issued)
        open[id] = owner
        return id
    }

    /// - Returns: the part that waits for the answer; nil if the call was cancelled or has ended.
    mutating func owner(of answer: Answer, to id: CallID) -> Owner? {
        answer.isLast ? open.removeValue(forKey: id) : open[id]
    }

    /// - Returns: false if the call is not open.
    mutating func cancel(_ id: CallID) -> Bool { open.removeValue(forKey: id) != nil }
}
