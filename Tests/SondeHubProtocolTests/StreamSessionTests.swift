import Gateway
import GatewayReports
import ReceiverProtocol
import SondeHubProtocol
import Testing

/// The MQTT session of the live stream, without a server and without waiting.
@Suite struct StreamSessionTests {
    private static let keepAlive = Duration.seconds(30)
    private static let accepted: [UInt8] = [0x20, 2, 0, 0]
    private static let subscribed: [UInt8] = [0x90, 4, 0, 1, 0, 0]
    private static let pong: [UInt8] = [0xD0, 0]
    /// On the topic `a`, with the payload `x`.
    private static let message: [UInt8] = [0x30, 4, 0, 1, 0x61, 0x78]
    private static let ping = StreamSession.Action.send(MQTTRequest.ping.bytes)

    /// A session, and what it did last.
    private struct Script {
        var session = StreamSession(clientID: "me", topics: ["a", "b"], keepAlive: keepAlive)
        var now = MonotonicTime.zero

        mutating func connect() -> [StreamSession.Action] { session.handle(.connected, at: now) }
        mutating func receive(_ bytes: [UInt8]) -> [StreamSession.Action] { session.handle(.received(bytes), at: now) }
        mutating func leave() -> [StreamSession.Action] { session.handle(.left, at: now) }

        /// Lets the time until the deadline pass.
        mutating func wait() -> [StreamSession.Action] {
            now = session.deadline ?? now
            return session.handle(.timePassed, at: now)
        }

        static var open: Script {
            var script = Script()
            _ = script.connect()
            _ = script.receive(accepted + subscribed)
            return script
        }
    }

    @Test func aSession() {
        var script = Script()
        #expect(script.session.deadline == nil)
        let connect = MQTTRequest.connect(clientID: "me", keepAliveSeconds: 30)
        #expect(script.connect() == [.send(connect.bytes)])
        let subscribe = MQTTRequest.subscribe(id: 1, topics: ["a", "b"])
        #expect(script.receive(Self.accepted) == [.send(subscribe.bytes)])
        #expect(script.receive(Self.message) == [], "not yet open")
        #expect(script.receive(Self.subscribed) == [.opened])
        let news = StreamSession.Action.message(IncomingMessage(topic: "a", payload: [0x78]))
        #expect(script.receive(Self.message + Self.message) == [news, news])
        #expect(script.leave() == [.send(MQTTRequest.disconnect.bytes)])
        #expect(script.leave() == [] && script.receive(Self.message) == [] && script.session.deadline == nil)
    }

    /// A ping every 30 s. Each packet of the server shows that it lives.
    @Test func pings() {
        var script = Script.open
        #expect(script.wait() == [Self.ping] && script.now == .zero.advanced(by: Self.keepAlive))
        #expect(script.receive(Self.pong) == [])
        #expect(script.wait() == [Self.ping])
        #expect(script.receive(Self.message).count == 1)
        #expect(script.wait() == [Self.ping] && script.now == .zero.advanced(by: Self.keepAlive * 3))
    }

    /// A server that says nothing: before CONNACK, before SUBACK, and in the open session.
    @Test func silence() {
        var unanswered = Script()
        _ = unanswered.connect()
        var unsubscribed = unanswered
        _ = unsubscribed.receive(Self.accepted)
        var open = Script.open
        #expect(open.wait() == [Self.ping])
        for var script in [unanswered, unsubscribed, open] {
            let early = script.session.handle(.timePassed, at: script.now)
            #expect(early == [], "before the deadline")
            let actions = script.wait()
            guard case .end(let error)? = actions.first else {
                Issue.record("no end: \(actions)")
                continue
            }
            #expect(error.code == .timedOut && actions.count == 1 && script.session.deadline == nil)
        }
    }

    /// The server's answer to CONNECT or SUBSCRIBE -> how the session ends.
    @Test(
        arguments: [
            ([0x20, 2, 0, 1], .refused, "it does not speak MQTT 3.1.1"),
            ([0x20, 2, 0, 2], .refused, "the client's id"),
            ([0x20, 2, 0, 3], .unreachable, "the server is not available"),
            ([0x20, 2, 0, 4], .refused, "it wants a login"), ([0x20, 2, 0, 5], .refused, "it wants a login"),
            (accepted + [0x90, 4, 0, 1, 0x80, 0], .refused, "the server refuses the subscription"),
            (accepted + [0x90, 3, 0, 1, 0], .malformed, "wrong length"),
            (accepted + [0x90, 4, 0, 2, 0, 0], .malformed, "not due"), (accepted + accepted, .malformed, "not due"),
            (subscribed, .malformed, "not due"), (message, .malformed, "not due"), (pong, .malformed, "not due"),
            (accepted + subscribed + subscribed, .malformed, "not due"),
            ([0x32, 0], .malformed, "acknowledgements"),
        ] as [([UInt8], OnlineServiceError.Code, String)])
    func refusals(_ bytes: [UInt8], _ code: OnlineServiceError.Code, _ words: String) {
        var script = Script()
        _ = script.connect()
        let actions = script.receive(bytes)
        guard case .end(let error)? = actions.last else {
            Issue.record("no end: \(actions)")
            return
        }
        #expect(error.code == code && error.detail.contains(words), "\(error)")
        #expect(script.receive(Self.accepted) == [] && script.leave() == [] && script.session.deadline == nil)
    }

    /// The other topics may be refused.
    @Test func anOtherTopicIsRefused() {
        var script = Script()
        _ = script.connect()
        #expect(script.receive(Self.accepted + [0x90, 4, 0, 1, 0, 0x80]).last == .opened)
    }

    @Test func aServerThatSpeaksFirst() {
        var script = Script()
        let end = OnlineServiceError(.malformed, "the server speaks before it is asked")
        #expect(script.receive(Self.accepted) == [.end(end)])
        #expect(script.connect() == [])
    }
}
