import Foundation
import TestSupport
import Testing

/// A receiver on a socket, the gateway, and the messages that arrived at all brokers of the run.
final class FrameBench {
    let port: Int
    let server: SocketServer
    let state: URL
    var broker: Broker
    var subscriber: Subscriber
    var gateway: Child
    /// Messages of subscribers whose broker has ended.
    private var earlier: [Subscriber.Message] = []
    /// When each frame was sent, also in seconds since 1970.
    private var sentAt: [(instant: ContinuousClock.Instant, wall: Double)] = []
    private var frames: Int { sentAt.count }
    /// Frames that the gateway had received less than a second before it was killed.
    private var lost: Set<Int> = []
    private let environment: [String: String]
    /// The altitude of the last frame in metres.
    private var altitude: String { "\(500 + frames / 10)\(frames % 10 == 0 ? "" : ".\(frames % 10)")" }

    /// - Parameters:
    ///   - broker: nil starts a broker without logins.
    ///   - isLetIn: false does not wait for the gateway's session.
    ///   - environment: more variables for the gateway.
    init(
        state: URL? = nil, broker: Broker? = nil, isLetIn: Bool = true, environment: [String: String] = [:]
    ) async throws {
        server = try SocketServer()
        self.state = try state ?? temporaryDirectory()
        self.environment = environment
        if let broker { self.broker = broker } else { self.broker = try await Broker() }
        port = self.broker.port
        subscriber = try await Subscriber(port: port)
        gateway = try Self.start(self.state, port, server.port, environment)
        try await server.accept()
        guard isLetIn else { return }
        try await subscriber.first(on: "sondygo/test/bridge/state") { $0.payload == "online" }
    }

    func start() throws -> Child { try Self.start(state, port, server.port, environment) }

    private static func start(
        _ state: URL, _ port: Int, _ receiver: Int, _ environment: [String: String]
    ) throws -> Child {
        let own = [
            "SONDYGO_MQTT_HOST": "127.0.0.1", "SONDYGO_MQTT_PORT": "\(port)",
            "SONDYGO_RECEIVER_TRANSPORT": "tcp", "SONDYGO_RECEIVER_PORT": "\(receiver)",
            "SONDYGO_GATEWAY_STATE_DIRECTORY": state.path,
        ]
        return try GatewayProgram.start(["run"], environment: own.merging(environment) { $1 })
    }

    /// Sends frames, each with its own altitude, by default 250 a second.
    func feed(_ count: Int, every interval: Duration = .milliseconds(4)) async throws {
        // After a long pause the gateway has closed the silent link and opened a new one.
        if server.isHungUp { try await server.accept() }
        for _ in 0..<count {
            sentAt.append((.now, Date().timeIntervalSince1970))
            let text = "1/RS41/403.500/V4210150/47.38/8.54/\(altitude)/10/2/117.5/100/0/0/0/4274/0/0/0/0/3.10/o\r\n"
            server.write(Array(text.utf8))
            try await Task.sleep(for: interval)
        }
    }

    /// The longest time between two frames, seconds. A busy machine stands still for a while.
    var longestPause: Double { zip(sentAt, sentAt.dropFirst()).map { $1.wall - $0.wall }.max() ?? 0 }

    /// Sends frames as fast as the gateway takes them.
    func flood(_ count: Int) {
        for _ in 0..<count / 100 {
            let frames = (0..<100).map { _ in
                sentAt.append((.now, Date().timeIntervalSince1970))
                return "1/RS41/403.500/V4210150/47.38/8.54/\(altitude)/10/2/117.5/100/0/0/0/4274/0/0/0/0/3.10/o\r\n"
            }
            server.write(Array(frames.joined().utf8))
        }
    }

    func killBroker() async throws {
        try await broker.stop()
        earlier += subscriber.messages
    }

    /// Starts an empty broker. A subscriber listens before the gateway connects again.
    func restartBroker() async throws {
        gateway.kill(SIGSTOP)
        broker = try await Broker(port: port)
        subscriber = try await Subscriber(port: port)
        gateway.kill(SIGCONT)
    }

    /// Kills the gateway. It may lose frames of the last second.
    func killGateway() async throws {
        gateway.kill(SIGKILL)
        let limit = ContinuousClock.now - .seconds(1)
        lost.formUnion(sentAt.indices.filter { sentAt[$0].instant > limit }.map { $0 + 1 })
        _ = try await gateway.exitCode()
        server.forgetWaiting()
    }

    func startGateway() async throws {
        gateway = try start()
        try await server.accept()
    }

    func restartGateway() async throws {
        gateway.kill(SIGKILL)
        _ = try await gateway.exitCode()
        gateway = try start()
        try await server.accept()
    }

    var messages: [Subscriber.Message] { earlier + subscriber.messages }

    func altitudes(_ topic: String) -> [Double] {
        messages.filter { $0.topic == "sondygo/test/" + topic }.compactMap { $0.json["altitude_m"] as? Double }
    }

    /// The number of the gateway's sessions; each begins with a message.
    private var sessions: Int {
        messages.count { $0.topic == "sondygo/test/bridge/state" && $0.payload == "online" }
    }

    /// Sends frames before, during and after an outage of the broker, and checks that all arrive.
    func surviveAnEmptyBroker() async throws {
        try await feed(350)
        try await killBroker()
        try await feed(400)
        try await restartBroker()
        try await feed(350)
        try await verify()
    }

    /// Waits until all data of the last frame is on disk.
    func waitUntilStored(within seconds: Double = usualDeadline) async throws {
        try await eventually("the last frame is on disk", within: seconds) {
            (try await newestSpooled() == newestAltitude).orNil
        }
    }

    /// The altitude of the last frame, as in messages.
    var newestAltitude: Double? { Double(altitude) }

    /// The altitude of the newest position in the spool; nil if there is none.
    func newestSpooled() async throws -> Double? {
        let newest = "SELECT payload FROM spool WHERE topic LIKE '%/position' ORDER BY key DESC LIMIT 1"
        let object = try? JSONSerialization.jsonObject(with: Data(try await query(newest).utf8)) as? [String: Any]
        return object?["altitude_m"] as? Double
    }

    /// Waits for the session of the newest gateway.
    func waitForSession() async throws {
        try await eventually("the session: \(gateway.text)") { gateway.text.contains("broker connected").orNil }
    }

    /// Waits until the session's first messages have come.
    func waitUntilQuiet() async throws {
        try await eventually("no more messages") {
            let count = messages.count
            try await Task.sleep(for: .seconds(1))
            return (count > 0 && messages.count == count).orNil
        }
    }

    /// Waits until a point of the flight is on disk.
    func waitUntilRecorded() async throws {
        try await eventually("a point is on disk") {
            (try await Int(query("SELECT count(*) FROM point")) ?? 0 > 0).orNil
        }
    }

    /// The times in seconds from the sending of each frame to the arrival of its live position, the shortest first.
    func delays() async throws -> [Double] {
        try await eventually("all live positions") { (altitudes("position").count >= frames).orNil }
        return messages.filter { $0.topic == "sondygo/test/position" }.compactMap { message in
            guard let altitude = message.json["altitude_m"] as? Double, let arrivedAt = message.arrivedAt else {
                return nil
            }
            let number = Int((altitude * 10).rounded()) - 5001
            return sentAt.indices.contains(number) ? arrivedAt - sentAt[number].wall : nil
        }.sorted()
    }

    /// Queries the gateway's store over a connection of its own.
    /// - Returns: the first value.
    func query(_ sql: String) async throws -> String {
        let program = """
            import sqlite3
            store = sqlite3.connect('file:\(state.path)/gateway.sqlite?mode=ro', uri=True)
            row = store.execute("\(sql)").fetchone()
            print(row[0].decode() if isinstance(row[0], bytes) else row[0])
            """
        let reader = try Child("python3", ["-c", program])
        _ = try await reader.exitCode()
        return reader.text.trimmingCharacters(in: .newlines)
    }

    /// Waits until all frames have arrived. Then checks their order, and that no live position came twice.
    func verify() async throws {
        let expected = Set((1...frames).map { 5000 + $0 }).subtracting(lost.map { 5000 + $0 })
        func arrived() -> Set<Int> {
            Set((altitudes("position") + altitudes("history/position")).map { Int(($0 * 10).rounded()) })
        }
        _ = try? await eventually("every frame", within: 120) {
            expected.isSubset(of: arrived()).orNil
        }
        let live = altitudes("position")
        let missing = expected.subtracting(arrived())
        #expect(missing.isEmpty, "\(missing.sorted())")
        // A new session publishes the newest retained position again.
        #expect(zip(live, live.dropFirst()).allSatisfy { $0 <= $1 })
        #expect(live.count - Set(live).count < sessions)
        // A killed gateway may not have recorded the broker's last acknowledgements.
        var seen: Set<Double> = []
        let history = altitudes("history/position").filter { seen.insert($0).inserted }
        #expect(zip(history, history.dropFirst()).allSatisfy { $0 <= $1 }, "\(history)")
    }

    func end(within seconds: Double = usualDeadline) async throws {
        gateway.kill(SIGTERM)
        #expect(try await gateway.exitCode(within: seconds) == 0)
    }
}
