import Gateway
import MosquittoClient

/// What the broker says to the messages, one after the other.
struct BrokerTalk {
    private let mqtt: Configuration.MQTT
    private var place: String { mqtt.place }
    /// The messages that are not sent yet.
    private var waiting: [OutgoingMessage]
    /// The one that the broker has not acknowledged.
    private var underWay: OutgoingMessage?
    private let began = ContinuousClock.now
    private var login: Duration?
    private var lacks: Set<BrokerFeature> = []
    private(set) var finding: Finding?
    /// The refusal may be about the client id: doctor's own is not the gateway's.
    private(set) var mayBeAboutID = false
    /// Small messages pass, and nothing comes back for the large one.
    private(set) var losesLargeOnes = false
    var isOver = false

    /// `doctor` names a login that takes longer.
    private static let slowLogin = Duration.seconds(2)

    init(with mqtt: Configuration.MQTT, messages: [OutgoingMessage]) {
        self.mqtt = mqtt
        waiting = messages
    }

    /// - Returns: the messages to send now.
    mutating func messages(after event: BrokerEvent) -> [OutgoingMessage] {
        switch event {
        case .connected:
            login = .now - began
            return next()
        case .acknowledged where underWay != nil, .drained where underWay == nil: return next()
        case .lacks(let feature): lacks.insert(feature)
        case .refused(let refusal):
            let isLarge = size != nil
            mayBeAboutID = !isLarge
            end(
                Finding.wrong(
                    "broker",
                    "\(place) lets the gateway in, but takes no message \(size ?? "on \(refusal.topic)"): "
                        + "\(refusal.reason); see its \(isLarge ? "limits" : "access list")", code: .brokerRefused,
                    place: place))
        case .subscriptionRefused(let topic, let reason):
            mayBeAboutID = true
            end(
                Finding.wrong(
                    "broker",
                    "\(place) lets the gateway in, but refuses its subscription to \(topic): \(reason); "
                        + "see its access list", code: .brokerRefused, place: place))
        case .disconnected(let failure) where underWay != nil:
            losesLargeOnes = failure.code == .timedOut && size != nil
            end(
                Finding.wrong(
                    "broker",
                    "\(place) lets the gateway in, but ends the session when it gets a message"
                        + "\(size.map { " " + $0 } ?? ""): \(failure)", code: .brokerRefused, place: place))
        case .connectFailed(let failure), .disconnected(let failure):
            mayBeAboutID = failure.code == .refused
            end(
                Finding.wrong(
                    "broker", mqtt.complaint(about: failure),
                    code: failure.code == .refused ? .brokerLogin : .brokerFailed, place: place))
        case .acknowledged, .downgraded, .drained, .returned, .message, .oversized, .subscriptionAccepted:
            break  // They change nothing.
        }
        return []
    }

    /// The size of the large message, while that is under way.
    private var size: String? {
        guard let bytes = underWay?.payload.count, bytes > 1000 else { return nil }
        return "of \(bytes) bytes, as large as the gateway's largest"
    }

    mutating func published(_ outcome: PublishOutcome) {
        switch outcome {
        case .taken: break
        case .tooLarge(let limit):
            end(
                Finding.note(
                    "broker",
                    "\(place) accepts the gateway, but no message of more than \(limit) bytes; larger ones are dropped")
            )
        case .full:
            // The line takes it once it has carried the last one.
            if let underWay { waiting.insert(underWay, at: 0) }
            underWay = nil
        case .offline: isOver = true
        }
    }

    private mutating func next() -> [OutgoingMessage] {
        underWay = waiting.first
        guard underWay != nil else {
            end(accepted)
            return []
        }
        return [waiting.removeFirst()]
    }

    private var accepted: Finding {
        if !lacks.isEmpty {
            let costs = lacks.map { "\($0.lack.what): \($0.lack.cost)" }.sorted().joined(separator: "; it ")
            return Finding.note("broker", "\(place) accepts the gateway and its messages, but \(costs)")
        }
        let text = "\(place) accepts the gateway and its messages"
        guard let login, login > Self.slowLogin else {
            return Finding.ok("broker", text, place: place)
        }
        let tenths = Int(login / .milliseconds(100))
        return Finding.ok("broker", "\(text); the login took \(tenths / 10).\(tenths % 10) s: the line is slow")
    }

    mutating func end(_ finding: Finding) {
        self.finding = finding
        isOver = true
    }
}
