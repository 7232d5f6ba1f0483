import Foundation
import Synchronization

/// A plain `mosquitto_sub`: what a user would see.
public final class Subscriber: Sendable {
    /// One message as `mosquitto_sub -F '%j'` prints it.
    public struct Message: Decodable, Sendable {
        public var topic: String
        public var qos: Int
        public var retain: Int
        public var payload: String?
        public var properties: [String: Value]?

        public enum Value: Decodable, Sendable, Equatable {
            case number(Int)
            case text(String)
            case other

            public init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                if let number = try? container.decode(Int.self) {
                    self = .number(number)
                } else {
                    self = (try? container.decode(String.self)).map { .text($0) } ?? .other
                }
            }
        }

        /// The payload as a JSON object; empty when it is none.
        public var json: [String: Any] {
            let data = Data((payload ?? "").utf8)
            return (try? JSONSerialization.jsonObject(with: data)) as? [String: Any] ?? [:]
        }
    }

    private let child: Child
    /// Those of its first bytes: who waits asks again and again.
    private let read = Mutex((bytes: 0, messages: [Message]()))

    /// Returns once the subscription stands.
    /// - Parameter login: user and password. Who may publish little is known to be subscribed by what the library says.
    public init(
        port: Int, topic: String = "sondygo/#", login: (user: String, password: String)? = nil
    ) async throws {
        let probe = "probe/\(UUID().uuidString)"
        let user = login.map { ["-u", $0.user, "-P", $0.password, "-d"] } ?? []
        // Of what a broker has acknowledged, more than 20 would wait with it for a slow subscriber, and die with it.
        // What the library says is not flushed into a pipe. It never gives a broker up that stands still: what that
        // broker takes meanwhile would be sent to nobody.
        child = try Child(
            "stdbuf",
            [
                "-oL", "mosquitto_sub", "-p", "\(port)", "-V", "5", "-q", "1", "-k", "3600", "-D", "CONNECT",
                "receive-maximum", "10000", "-t", topic, "-t", probe, "-F", "%j",
            ] + user
        )
        let child = child
        try await eventually("mosquitto_sub is subscribed: \(child.text)") {
            if login == nil { try publish(port: port, topic: probe, "x") }
            return child.text.contains(login == nil ? probe : "Subscribed (mid").orNil
        }
    }

    public var messages: [Message] {
        read.withLock { read in
            let fresh = child.wholeLines(from: read.bytes)
            read.bytes += fresh.count
            read.messages += fresh.split(separator: UInt8(ascii: "\n"))
                .compactMap { try? JSONDecoder().decode(Message.self, from: Data($0)) }
                .filter { !$0.topic.hasPrefix("probe/") }
            return read.messages
        }
    }

    public func messages(on topic: String) -> [Message] { messages.filter { $0.topic == topic } }

    /// Waits for a message on `topic` that `matches`.
    @discardableResult
    public func first(
        on topic: String, within seconds: Double = 60, where matches: (Message) -> Bool = { _ in true }
    ) async throws -> Message {
        try await eventually("a message on \(topic)", within: seconds) { messages(on: topic).first(where: matches) }
    }

    public func stop() { child.kill(SIGKILL) }
}

/// `mosquitto_pub`.
public func publish(port: Int, topic: String, _ payload: String, more: [String] = []) throws {
    let child = try Child("mosquitto_pub", ["-p", "\(port)", "-q", "1", "-t", topic, "-m", payload] + more)
    let deadline = Date(timeIntervalSinceNow: 10)
    while child.isRunning, Date() < deadline { usleep(2000) }
}
