public import Gateway
public import GatewayReports
public import ReceiverProtocol

/// The MQTT session of one connection to SondeHub's live stream.
///
///     starting --connected--> connecting --CONNACK--> subscribing --SUBACK--> open
///                                 |                        |                   |
///                                 +--- refused, silent, against the rules -----+--> ended
///
/// A message before the SUBACK is not used. The server keeps none, and what is missing before a connection's first frame
/// is fetched anyway.
public struct StreamSession: Sendable {
    public enum Event: Sendable {
        /// The connection stands.
        case connected
        /// Bytes of the server, cut anywhere.
        case received([UInt8])
        /// ``deadline`` has come.
        case timePassed
        /// We leave.
        case left
    }

    public enum Action: Equatable, Sendable {
        case send([UInt8])
        /// The server has accepted the subscription to the needed topic.
        case opened
        case message(IncomingMessage)
        /// The session has ended, and the connection must end, too.
        case end(OnlineServiceError)
    }

    private enum State {
        case starting
        case connecting
        case subscribing
        case open
        case ended
    }

    /// The limit for each answer until the session is open.
    public static let answerLimit = Duration.seconds(10)
    private static let subscriptionID: UInt16 = 1

    private let clientID: String
    private let topics: [String]
    private let keepAlive: Duration
    private var state = State.starting
    private var reader = MQTTPacketReader()
    /// Whether a packet has come since the last ping.
    private var hasHeard = false
    /// When ``Event/timePassed`` is due; nil for never.
    public private(set) var deadline: MonotonicTime?

    /// - Parameters:
    ///   - clientID: a broker ends the older of two sessions with the same one.
    ///   - topics: the session ends if the server refuses the first of them. It goes on without the others.
    ///   - keepAlive: the time between two pings, and the limit for a ping's answer.
    public init(clientID: String, topics: [String], keepAlive: Duration) {
        self.clientID = clientID
        self.topics = topics
        self.keepAlive = keepAlive
    }

    public mutating func handle(_ event: Event, at now: MonotonicTime) -> [Action] {
        switch event {
        case .connected: connected(at: now)
        case .received(let bytes): received(bytes, at: now)
        case .timePassed: timePassed(at: now)
        case .left: left()
        }
    }

    private mutating func connected(at now: MonotonicTime) -> [Action] {
        guard case .starting = state else { return [] }
        state = .connecting
        deadline = now.advanced(by: Self.answerLimit)
        let seconds = UInt16(clamping: keepAlive.components.seconds)
        return [.send(MQTTRequest.connect(clientID: clientID, keepAliveSeconds: seconds).bytes)]
    }

    private mutating func received(_ bytes: [UInt8], at now: MonotonicTime) -> [Action] {
        if case .starting = state { return end(.malformed, "the server speaks before it is asked") }
        var actions: [Action] = []
        var rest = bytes[...]
        do throws(MQTTPacketFault) {
            while !isEnded, let packet = try reader.next(in: &rest) {
                hasHeard = true
                actions += handle(packet, at: now)
            }
        } catch {
            actions += end(.malformed, error.detail)
        }
        return actions
    }

    private var isEnded: Bool { if case .ended = state { true } else { false } }

    private mutating func handle(_ packet: MQTTPacket, at now: MonotonicTime) -> [Action] {
        switch (packet, state) {
        case (.connected(nil), .connecting):
            state = .subscribing
            deadline = now.advanced(by: Self.answerLimit)
            return [.send(MQTTRequest.subscribe(id: Self.subscriptionID, topics: topics).bytes)]
        case (.connected(let refusal?), .connecting): return refused(refusal)
        case (.subscribed(Self.subscriptionID, let accepted), .subscribing):
            return subscribed(accepted, at: now)
        case (.message(let topic, let payload, let isRetained), .open):
            return [.message(IncomingMessage(topic: topic, payload: payload, isRetained: isRetained))]
        case (.message, .subscribing), (.pong, .subscribing), (.pong, .open): return []
        case (.connected, _), (.subscribed, _), (.message, _), (.pong, _):
            return end(.malformed, "the server breaks MQTT's rules: a packet that is not due")
        }
    }

    private mutating func refused(_ refusal: MQTTRefusal) -> [Action] {
        switch refusal {
        case .unavailable: end(.unreachable, "the server is not available")
        case .version: end(.refused, "the server refuses the session: it does not speak MQTT 3.1.1")
        case .clientID: end(.refused, "the server refuses the session: the client's id")
        case .login, .notAuthorized: end(.refused, "the server refuses the session: it wants a login")
        }
    }

    private mutating func subscribed(_ accepted: [Bool], at now: MonotonicTime) -> [Action] {
        guard accepted.count == topics.count else {
            return end(.malformed, MQTTPacketFault.wrongLength.detail)
        }
        guard accepted.first == true else { return end(.refused, "the server refuses the subscription") }
        state = .open
        deadline = now.advanced(by: keepAlive)
        return [.opened]
    }

    private mutating func timePassed(at now: MonotonicTime) -> [Action] {
        guard now.hasReached(deadline) else { return [] }
        switch state {
        case .starting, .ended: return []
        case .connecting, .subscribing: return end(.timedOut, "the server does not answer in MQTT")
        case .open:
            guard hasHeard else { return end(.timedOut, "the server does not answer a ping") }
            hasHeard = false
            deadline = now.advanced(by: keepAlive)
            return [.send(MQTTRequest.ping.bytes)]
        }
    }

    private mutating func left() -> [Action] {
        let isSession =
            switch state {
            case .starting, .ended: false
            case .connecting, .subscribing, .open: true
            }
        (state, deadline) = (.ended, nil)
        return isSession ? [.send(MQTTRequest.disconnect.bytes)] : []
    }

    private mutating func end(_ code: OnlineServiceError.Code, _ detail: String) -> [Action] {
        (state, deadline) = (.ended, nil)
        return [.end(OnlineServiceError(code, detail))]
    }
}
