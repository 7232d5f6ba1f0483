import Foundation
import ReceiverProtocol

@testable import GatewayCore

/// Drives the machine by hand: events in, actions out, time as the test likes it.
struct Script {
    var machine: GatewayMachine
    var now: Moment
    private(set) var timers: [TimerID: MonotonicTime] = [:]

    init(
        topics id: String = "test", policy: CommandPolicy = CommandPolicy(), sondeHub: SondeHubOptions = .off,
        homeAssistant: HomeAssistantOptions? = nil, memory: GatewayMemory = GatewayMemory(),
        isClockSynced: Bool = true
    ) {
        // 2026-01-01T12:00:00Z
        now = Moment(
            monotonic: .zero, wall: WallTime(millisecondsSince1970: 1_767_268_800_000), isClockSynced: isClockSynced)
        guard let topics = Topics(base: "sondygo", id: id) else { preconditionFailure("a valid id") }
        machine = GatewayMachine(
            topics: topics, policy: policy, sondeHub: sondeHub, homeAssistant: homeAssistant, startedAt: now)
        run(.started(memory))
    }

    @discardableResult
    mutating func run(_ event: GatewayEvent) -> [GatewayAction] {
        let actions = machine.handle(event, at: now)
        for action in actions {
            switch action {
            case .setTimer(let id, let deadline): timers[id] = deadline
            case .cancelTimer(let id): timers[id] = nil
            case .publish, .spool, .record, .write, .closeLink, .note, .pollSondeHub, .fetchTrack, .cancelTrack:
                break  // For the caller to look at.
            }
        }
        return actions
    }

    mutating func advance(_ seconds: Double) {
        now.monotonic = now.monotonic.advanced(by: seconds)
        now.wall = now.wall.advanced(byMilliseconds: Int64(seconds * 1000))
    }

    /// Lets time pass and fires the timers that fall due, in order.
    @discardableResult
    mutating func wait(_ seconds: Double) -> [GatewayAction] {
        let end = now.monotonic.advanced(by: seconds)
        var actions: [GatewayAction] = []
        while let next = timers.min(by: { ($0.value, $0.key.rawValue) < ($1.value, $1.key.rawValue) }),
            next.value <= end
        {
            timers[next.key] = nil
            advance(Double(max(0, next.value.nanoseconds - now.monotonic.nanoseconds)) / 1e9)
            now.monotonic = max(now.monotonic, next.value)
            actions += run(.timerFired(next.key))
        }
        advance(Double(end.nanoseconds - now.monotonic.nanoseconds) / 1e9)
        return actions
    }

    /// The transport takes every write in `actions`, and those that follow from it.
    @discardableResult
    mutating func takeWrites(_ actions: [GatewayAction]) -> [GatewayAction] {
        var all: [GatewayAction] = []
        var next = actions
        while let id = next.writeIDs.first {
            next = run(.writeFinished(id, succeeded: true))
            all += next
        }
        return all
    }

    /// A link with its first frame.
    mutating func connect() {
        run(.brokerConnected)
        run(.linkOpened(ReceiverPeer(name: "receiver", maximumWriteLength: 128)))
        frame(Self.searching)
    }

    @discardableResult
    mutating func frame(_ text: String) -> [GatewayAction] {
        let bytes = Array(text.utf8)
        guard let frame = try? FrameParser.parse(bytes.span) else { return run(.frameRejected(.garbage)) }
        return run(.frame(frame))
    }

    @discardableResult
    mutating func command(_ body: String, topic: String = "command") -> [GatewayAction] {
        run(.message(IncomingMessage(topic: "\(machine.topics.prefix)/\(topic)", payload: Array(body.utf8))))
    }

    static let searching = "0/RS41/403.500/120.5/100/4260/0/3.10/o"
    static let configuration = "3/RS41/403.500/21/22/16/25/1/7/7/7/6/MYCALL/0/35/2950/4180/1/0/0/0/3.10/o"

    static func position(_ serial: String = "V4210150", latitude: String = "47.38", altitude: Int = 500) -> String {
        "1/RS41/403.500/\(serial)/\(latitude)/8.54/\(altitude)/10/2/117.5/100/0/0/0/4274/0/0/0/0/3.10/o"
    }
}

extension [GatewayAction] {
    var published: [OutgoingMessage] { compactMap { if case .publish(let message) = $0 { message } else { nil } } }
    var written: [String] {
        compactMap { if case .write(_, let bytes) = $0 { String(decoding: bytes, as: UTF8.self) } else { nil } }
    }
    var writeIDs: [WriteID] { compactMap { if case .write(let id, _) = $0 { id } else { nil } } }

    func texts(on suffix: String) -> [String] {
        published.filter { $0.topic.hasSuffix(suffix) }.map { String(decoding: $0.payload, as: UTF8.self) }
    }

    /// `accepted`, `written` … with the error's code behind a colon, and `!` behind a final one.
    var answers: [String] {
        published.filter { $0.topic.contains("response") }.map { message in
            let text = String(decoding: message.payload, as: UTF8.self)
            let value = { (key: String) in
                text.range(of: "\"\(key)\":\"").map { text[$0.upperBound...].prefix { $0 != "\"" } }.map { String($0) }
            }
            let code = value("code").map { ":" + $0 } ?? ""
            return (value("status") ?? "?") + code + (text.contains("\"final\":true") ? "!" : "")
        }
    }
}
