import Feeds
import Foundation
import ReceiverProtocol
import TestSupport
import Testing

@testable import Feeds
@testable import FlightMath
@testable import Gateway
@testable import GatewayReports

/// The feeds' sockets, with real clients.
@Suite(.timeLimit(.minutes(10)), .serialized) struct FeedServiceTests {
    private static func points(_ count: Int) -> [TrackPoint] {
        var points: [TrackPoint] = []
        for index in 0..<count {
            // The flight rises to the middle point and falls again. There is a gap after a third of the points.
            let gap: Int64 = index > count / 3 ? 90_000 : 0
            let time = WallTime(millisecondsSince1970: 1_795_314_600_123 + Int64(index) * 1000 + gap)
            let place = Coordinate(latitude: 46.8 + Double(index) * 1.1e-5, longitude: 6.9 + Double(index) * 2.3e-5)
            let height = Double(min(index, count - index)) * 5
            points.append(TrackPoint(time: time, coordinate: place, altitudeMetres: 480 + height, source: .ble))
        }
        return points
    }

    private func list(_ points: [TrackPoint], in folder: URL) throws -> String {
        let file = folder.appendingPathComponent("points.json")
        let rounded = { (value: Double, decimals: Double) in (value * decimals).rounded() / decimals }
        let wanted = points.map { point -> [Any] in
            [
                point.time.millisecondsSince1970, rounded(point.coordinate.latitude, 1e6),
                rounded(point.coordinate.longitude, 1e6), rounded(point.altitudeMetres, 10),
            ]
        }
        try JSONSerialization.data(withJSONObject: wanted).write(to: file)
        return file.path
    }

    /// The rocket app's requests in order: the rockets, the list, a header, then the whole download, which equals the
    /// store's track. The gateway has just started, so all data comes from an earlier run.
    @Test func theRecoveryFeedAnswersTheAppsRequests() async throws {
        let port = Broker.freePort()
        let bench = try FeedBench { $0.rocket.listen(at: port) }
        let points = Self.points(1000)
        let serial = try #require(SondeSerial(name: "V4210150", type: .other("")))
        let other = try #require(SondeSerial(name: "V1111111", type: .other("")))
        let old = Self.points(10).map { point in
            var point = point
            point.time = point.time.advanced(byMilliseconds: -86_400_000)
            return point
        }
        try await bench.record([.points(serial, .rs41, points), .points(other, .rs41, old)])
        try await eventually("the feed is ready") { Self.accepts(port).orNil }
        let walk = try Child(
            "python3",
            [
                Fixtures.url("Tests/Peers/rocket_walk.py").path, "\(port)", try list(points, in: bench.folder),
                serial.canonical,
            ])
        #expect(try await walk.exitCode(within: 200) == 0, "\(walk.text)")
        #expect(walk.lines == ["samples 1000", "the same"])
        await bench.stop()
    }

    /// Misbehaving clients do not disturb a good one, and at most four clients are accepted.
    @Test(arguments: ["rdz", "rocket"])
    func hostilePeersHarmNoOther(_ feed: String) async {
        await #expect(processExitsWith: .success) { [feed = feed as String] in
            try await FeedServiceTests.meetHostilePeers(feed)
        }
    }

    /// In a process of its own, whose memory nothing else uses.
    private static func meetHostilePeers(_ feed: String) async throws {
        let port = Broker.freePort()
        let bench = try FeedBench { feed == "rdz" ? $0.rdz.listen(at: port) : $0.rocket.listen(at: port) }
        let serial = try #require(SondeSerial(name: "V4210150", type: .other("")))
        try await bench.record([.points(serial, .rs41, Self.points(500))])
        try await eventually("the feed is ready") { Self.accepts(port).orNil }
        let before = Self.residentKilobytes
        let peers = try Child("python3", [Fixtures.url("Tests/Peers/hostile_peers.py").path, "\(port)", "10"])
        #expect(try await peers.exitCode(within: 200) == 0, "\(peers.text)")
        #expect(peers.lines.last.flatMap { Int($0) } ?? .max < 10_000, "\(peers.text)")
        #expect(Self.residentKilobytes - before < 8192)
        try await eventually("all have gone", within: 200) { (bench.counts(feed)?.clients ?? 9 <= 1).orNil }
        #expect(bench.counts(feed)?.drops ?? 0 > 0)
        await bench.stop()
    }

    /// A client sends until the server stops reading, then shuts its sending side. The library then reads all these
    /// bytes at once.
    @Test(arguments: ["rdz", "rocket"])
    func aFloodThatEnds(_ feed: String) async {
        await #expect(processExitsWith: .success) { [feed = feed as String] in
            try await FeedServiceTests.meetAFlood(feed)
        }
    }

    /// In a process of its own, whose memory nothing else uses.
    private static func meetAFlood(_ feed: String) async throws {
        let port = Broker.freePort()
        let bench = try FeedBench { feed == "rdz" ? $0.rdz.listen(at: port) : $0.rocket.listen(at: port) }
        try await eventually("the feed is ready") { Self.accepts(port).orNil }
        // The first flood makes the threads and buffers that each needs.
        var before = 0
        for round in 0..<4 {
            if round == 1 { before = Self.residentKilobytes }
            let flood = try Child("python3", ["-c", Self.flood, "\(port)"])
            #expect(try await flood.exitCode(within: 200) == 0, "\(flood.text)")
        }
        let growth = Self.residentKilobytes - before
        // Kept bytes would be tens of megabytes: a client sends some four before the server stops reading.
        #expect(growth < 24_000, "\(growth) kB")
        try await eventually("all have gone", within: 200) { (bench.counts(feed)?.clients == 0).orNil }
        await bench.stop()
    }

    private static let flood = """
        import socket, sys
        for _ in range(4):
            peer = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
            peer.settimeout(0.2)
            try:
                while True: peer.sendall(b"x\\n" * 500000)
            except OSError: pass
            try: peer.shutdown(socket.SHUT_WR)
            except OSError: pass
            peer.close()
        """

    /// Another program occupies the port: the other feeds work. When that program ends, the feed opens the port within
    /// half a minute.
    @Test func aPortInUseIsReportedAndRetried() async throws {
        var other: SocketServer? = try SocketServer()
        let taken = try #require(other?.port)
        let free = Broker.freePort()
        let bench = try FeedBench(second: .milliseconds(30)) { configuration in
            configuration.rdz.listen(at: taken)
            configuration.rocket.listen(at: free, of: "::")
        }
        try await eventually("the other feed is ready") { Self.accepts(free).orNil }
        let client = try Child("python3", ["-c", Self.firstLine, "\(free)"])
        #expect(try await client.exitCode() == 0)
        #expect(client.text.contains("\"type\":\"link\""), "\(client.text)")
        other = nil
        try await eventually("the feed has the port") { Self.accepts(taken).orNil }
        let phone = try Child("python3", ["-c", Self.firstLine, "\(taken)"])
        #expect(try await phone.exitCode() == 0)
        #expect(phone.text.contains("\"res\": 1"), "\(phone.text)")
        await bench.stop()
    }

    private static let firstLine = """
        import socket, sys
        print(socket.create_connection(("127.0.0.1", int(sys.argv[1])), timeout=10).makefile().readline())
        """

    /// Four clients are served and a fifth is refused. When one leaves, another is accepted.
    @Test func theFifthClientIsRefused() async throws {
        let port = Broker.freePort()
        let bench = try FeedBench(second: .milliseconds(30)) { $0.rdz.listen(at: port) }
        try await eventually("the feed is ready") { Self.accepts(port).orNil }
        try await eventually("nobody is there") { (bench.counts("rdz")?.clients == 0).orNil }
        let script = """
            import socket, sys
            def connect():
                return socket.create_connection(("127.0.0.1", int(sys.argv[1])), timeout=20)
            def is_served(phone):
                try:
                    return phone.recv(1) == b"{"
                except ConnectionError:
                    return False
            phones = [connect() for _ in range(4)]
            print([is_served(phone) for phone in phones], is_served(connect()))
            phones.pop().close()
            while True:
                phone = connect()
                if is_served(phone):
                    break
            print("room")
            """
        let phones = try Child("python3", ["-c", script, "\(port)"])
        #expect(try await phones.exitCode() == 0, "\(phones.text)")
        #expect(phones.lines == ["[True, True, True, True] False", "room"])
        await bench.stop()
    }

    /// With `feeds.rdz.car: false` a phone's position is ignored, but the phone still gets its lines.
    @Test func phonesCanBeKeptFromMovingTheCar() async throws {
        let port = Broker.freePort()
        let bench = try FeedBench { configuration in
            configuration.rdz.listen(at: port)
            configuration.rdz.takesCar = false
        }
        try await eventually("the feed is ready") { Self.accepts(port).orNil }
        let script = """
            import socket, sys
            phone = socket.create_connection(("127.0.0.1", int(sys.argv[1])), timeout=10)
            lines = phone.makefile()
            for _ in range(3):
                phone.sendall(b'{"lat": 46.8 , "lon": 7.1 , "hdop": 5.0 }\\n')
                assert lines.readline().startswith('{')
            """
        let phone = try Child("python3", ["-c", script, "\(port)"])
        #expect(try await phone.exitCode() == 0, "\(phone.text)")
        #expect(bench.carFixes.isEmpty)
        await bench.stop()
    }

    /// A phone and another program each send the car's position.
    @Test func positionsOfTheCarAreReceived() async throws {
        let (port, listen) = (Broker.freePort(), Broker.freePort())
        let bench = try FeedBench { configuration in
            configuration.rdz.listen(at: port)
            configuration.horus.isEnabled = true
            configuration.horus.listen = .init(host: "127.0.0.1", port: listen)
        }
        try await eventually("the feed is ready") { Self.accepts(port).orNil }
        let script = """
            import socket, sys
            phone = socket.create_connection(("127.0.0.1", int(sys.argv[1])), timeout=10)
            phone.sendall(b'{"status": 1}\\nnonsense\\n' + b"x" * 5000 + b'\\n{"lat": 46.8 , "lon": 7.1 , "hdop": 5.0 }\\n')
            assert phone.makefile().readline().startswith('{')
            program = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            for text in (b"nonsense", b'{"type":"BEARING","bearing":40,"bearing_type":"relative","source":"yagi"}',
                         b'{"type":"GPS","latitude":46.9,"longitude":7.2,"altitude":450,"speed":36,"valid":true}'):
                program.sendto(text, ("127.0.0.1", int(sys.argv[2])))
            """
        let peers = try Child("python3", ["-c", script, "\(port)", "\(listen)"])
        #expect(try await peers.exitCode() == 0, "\(peers.text)")
        try await eventually("both") { (bench.carFixes.count == 2).orNil }
        #expect(bench.heardBearings == [HeardBearing(degrees: 40, isRelative: true)])
        let fixes = bench.carFixes.sorted { $0.source.rawValue < $1.source.rawValue }
        #expect(fixes.map(\.source) == [.horus, .rdz])
        #expect(fixes.map(\.coordinate.latitude) == [46.9, 46.8])
        #expect(fixes.first?.speed == 10)
        #expect(fixes.last?.accuracyMetres == 5)
        await bench.stop()
    }

    /// If `car` and `listen` are the same port, the gateway receives its own datagram and ignores it.
    @Test func theGatewaysOwnCarIsNotReadBack() async throws {
        let port = Broker.freePort()
        let bench = try FeedBench(second: .milliseconds(30)) { configuration in
            configuration.horus.isEnabled = true
            configuration.horus.car = .init(host: "127.0.0.1", port: port)
            configuration.horus.listen = .init(host: "127.0.0.1", port: port)
        }
        let car = try #require(try GoldenFeed.named("ascending").carPosition)
        bench.drive(car)
        try await eventually("it is told") { (bench.counts("horus")?.messages ?? 0 > 0).orNil }
        let other = try Child(
            "python3",
            [
                "-c",
                """
                import socket, sys
                message = b'{"type":"GPS","latitude":46.9,"longitude":7.2}'
                socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(message, ("127.0.0.1", int(sys.argv[1])))
                """, "\(port)",
            ])
        #expect(try await other.exitCode() == 0, "\(other.text)")
        try await eventually("somebody else's") { (!bench.carFixes.isEmpty).orNil }
        #expect(bench.carFixes.map(\.coordinate) == [Coordinate(latitude: 46.9, longitude: 7.2)])
        await bench.stop()
    }

    /// An electronic flight bag announces itself and gets the heartbeat.
    @Test func flightBagsAreFound() async throws {
        let bench = try FeedBench { $0.gdl90.isEnabled = true }
        let script = """
            import json, socket
            bag = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            bag.bind(("127.0.0.1", 0))
            bag.settimeout(0.5)
            for _ in range(20):
                bag.sendto(json.dumps({"App": "ForeFlight", "GDL90": {"port": bag.getsockname()[1]}}).encode(),
                           ("127.0.0.1", 63093))
                try:
                    print(bag.recv(1500).hex())
                    break
                except socket.timeout:
                    pass
            """
        let bag = try Child("python3", ["-c", script])
        #expect(try await bag.exitCode() == 0)
        #expect(bag.text.hasPrefix("7e0001"), "\(bag.text)")
        #expect(bench.counts("gdl90")?.clients == 1)
        await bench.stop()
    }

    /// The car's position -> whether it is sent as ownship. One that came by GDL 90 is not.
    @Test(arguments: [(CarSource.gpsd, true), (.gdl90, false)])
    func aPositionByGDL90IsNotSentOn(_ source: CarSource, _ isSent: Bool) async throws {
        let port = Broker.freePort()
        let bench = try FeedBench(second: .milliseconds(30)) { feeds in
            feeds.gdl90.isEnabled = true
            feeds.gdl90.discovers = false
            feeds.gdl90.tellsOwnship = true
            feeds.gdl90.targets = [.init(host: "127.0.0.1", port: port)]
        }
        var car = try #require(try GoldenFeed.named("ascending").carPosition)
        car.source = source
        bench.drive(car)
        let script = """
            import socket, sys
            bag = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            bag.bind(("127.0.0.1", int(sys.argv[1])))
            bag.settimeout(30)
            # The status says that the position of the car is known.
            print(next(data.hex() for data in iter(lambda: bag.recv(1500), b"") if data[2] == 0x81))
            """
        let bag = try Child("python3", ["-c", script, "\(port)"])
        #expect(try await bag.exitCode() == 0, "\(bag.text)")
        // The address and the call sign of the gateway's ownship reports.
        #expect(bag.text.contains("7e0a01f00001") == isSent, "\(bag.text)")
        await bench.stop()
    }

    static func accepts(_ port: Int) -> Bool {
        let child = try? Child("python3", ["-c", "import socket; socket.create_connection(('127.0.0.1', \(port)))"])
        child?.wait(atMost: 10)
        return child.map { $0.text.isEmpty } ?? false
    }

    private static var residentKilobytes: Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    }
}

extension RDZFeed {
    mutating func listen(at port: Int) { (isEnabled, address, self.port) = (true, "127.0.0.1", port) }
}

extension RocketFeed {
    mutating func listen(at port: Int, of address: String = "127.0.0.1") {
        (isEnabled, self.address, self.port) = (true, address, port)
    }
}
