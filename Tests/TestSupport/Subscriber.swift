import Foundation
import Synchronization

/// A plain `mosquitto_sub`, so that tests see what a user sees.
public final class Subscriber: Sendable {
    /// One message as `mosquitto_sub -F '%U %j'` prints it: the time of its arrival, and the message.
    public struct Message: Decodable, Sendable {
        public var topic: String
        public var qos: Int
        public var retain: Int
        public var payload: String?
        public var properties: [String: Value]?
        /// When `mosquitto_sub` had it, seconds since 1970.
        public var arrivedAt: Double?

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

        /// The payload as a JSON object; empty if the payload is no JSON object.
        public var json: [String: Any] {
            let data = Data((payload ?? "").utf8)
            return (try? JSONSerialization.jsonObject(with: data)) as? [String: Any] ?? [:]
        }
    }

    private let child: Child
    /// The messages in the first `bytes` of the output. The cache is for tests that poll.
    private let read = Mutex((bytes: 0, messages: [Message]()))

    /// Returns when the subscription stands.
    /// - Parameter login: user and password. If the user may not publish the probe, the library's log shows that the
    ///   subscription stands.
    public init(
        port: Int, topic: String = "sondygo/#", login: (user: String, password: String)? = nil
    ) async throws {
        let probe = "probe/\(UUID().uuidString)"
        let user = login.map { ["-u", $0.user, "-P", $0.password, "-d"] } ?? []
        // receive-maximum: by default a broker holds all but 20 messages back for a slow subscriber, and loses them
        // when it is killed. stdbuf: the library does not flush its log into a pipe. -k 3600: the subscriber must not
        // abandon a broker that stands still, because messages that the broker accepts meanwhile would reach nobody.
        child = try Child(
            "stdbuf",
            [
                "-oL", "mosquitto_sub", "-p", "\(port)", "-V", "5", "-q", "1", "-k", "3600", "-D", "CONNECT",
                "receive-maximum", "10000", "-t", topic, "-t", probe, "-F", "%U %j",
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
                .compactMap { Self.message($0) }
                .filter { !$0.topic.hasPrefix("probe/") }
            return read.messages
        }
    }

    /// Nil if the line is no message.
    private static func message(_ line: ArraySlice<UInt8>) -> Message? {
        guard let space = line.firstIndex(of: UInt8(ascii: " ")) else { return nil }
        var message = try? JSONDecoder().decode(Message.self, from: Data(line[(space + 1)...]))
        message?.arrivedAt = Double(String(decoding: line[..<space], as: UTF8.self))
        return message
    }

    public func messages(on topic: String) -> [Message] { messages.filter { $0.topic == topic } }

    /// Waits for a message on `topic` that `matches`.
    @discardableResult
    public func first(
        on topic: String, within seconds: Double = usualDeadline, where matches: (Message) -> Bool = { _ in true }
    ) async throws -> Message {
        try await eventually("a message on \(topic)", within: seconds) { messages(on: topic).first(where: matches) }
    }

    public func stop() async throws {
        child.kill(SIGKILL)
        _ = try await child.exitCode()
    }
}

/// Publishes with `mosquitto_pub`.
public func publish(port: Int, topic: String, _ payload: String, more: [String] = []) throws {
    let child = try Child("mosquitto_pub", ["-p", "\(port)", "-q", "1", "-t", topic, "-m", payload] + more)
    child.wait(atMost: 10)
}
