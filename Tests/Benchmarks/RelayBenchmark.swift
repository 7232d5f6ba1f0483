import Foundation
import Gateway
import MosquittoClient
import Synchronization
import TestSupport

/// Measures latency, throughput, memory and CPU of the real program between a socket and a real broker.
struct RelayBenchmark {
    let program: String

    /// When each frame arrived at the subscriber. The altitude numbers the frames. A frame arrives on the live topic
    /// or, later, as history.
    private final class Arrivals: Sendable {
        private struct State {
            var times: [Int: ContinuousClock.Instant] = [:]
            var late: Set<Int> = []
            var last = ContinuousClock.now
        }

        private let state = Mutex(State())

        /// The frames on the live topic.
        var count: Int { state.withLock { $0.times.count } }
        /// The frames on either topic.
        var total: Int { state.withLock { $0.late.subtracting($0.times.keys).count + $0.times.count } }
        /// When the last frame arrived on the live topic.
        var last: ContinuousClock.Instant { state.withLock { $0.last } }
        subscript(number: Int) -> ContinuousClock.Instant? { state.withLock { $0.times[number] } }
        func clear() { state.withLock { $0 = State() } }

        func note(_ payload: [UInt8], isLate: Bool) {
            let now = ContinuousClock.now
            let text = String(decoding: payload, as: UTF8.self)
            guard let start = text.range(of: "\"altitude_m\":")?.upperBound else { return }
            let digits = text[start...].prefix { $0 != "," }
            guard let altitude = Double(digits) else { return }
            let number = Int((altitude * 10).rounded())
            state.withLock { state in
                if isLate {
                    state.late.insert(number)
                } else {
                    (state.times[number], state.last) = (now, now)
                }
            }
        }
    }

    func run() async throws {
        let broker = try await Broker()
        let server = try SocketServer()
        let arrivals = Arrivals()
        var session = MosquittoConfiguration(
            host: "127.0.0.1", port: broker.port, clientID: "bench",
            subscriptions: ["sondygo/bench/position", "sondygo/bench/history/position"])
        // The flood must wait here, or the benchmark counts its own losses.
        session.incomingLimit = 200_000
        let subscriber = try MosquittoClient(session)
        subscriber.start()
        let listening = Task {
            await subscriber.receive { event in
                guard case .message(let message) = event else { return }
                arrivals.note(message.payload, isLate: message.topic.contains("/history/"))
            }
        }
        let sondeHub = try await FakeSondeHub()
        for kind in ["site", "area", "track"] { try sondeHub.serve(kind, "{}") }
        let gateway = try Child(
            program,
            [
                "run", "--id", "bench", "--mqtt-host", "127.0.0.1", "--mqtt-port", "\(broker.port)", "--transport",
                "tcp",
                "--receiver-host", "127.0.0.1", "--receiver-port", "\(server.port)",
            ],
            environment: [
                "SONDYGO_SONDEHUB_SITE": "06610", "SONDYGO_SONDEHUB_URL": sondeHub.url(),
                "SONDYGO_GATEWAY_STATE_DIRECTORY": try temporaryDirectory().path,
            ])
        try await server.accept()
        let linkUp = ContinuousClock.now
        server.write(frame(1))
        try await eventually("the first frame") { arrivals[1] }
        let first = arrivals[1].map { $0 - linkUp } ?? .zero
        Benchmarks.row("link up to first message at a subscriber", milliseconds(first), limit: "< 1000 ms")

        try await latency(server, arrivals)
        try await throughput(server, arrivals)
        try await idle(server, gateway)
        gateway.kill(SIGTERM)
        _ = try await gateway.exitCode()
        listening.cancel()
        await subscriber.stop()
    }

    private func latency(_ server: SocketServer, _ arrivals: Arrivals) async throws {
        arrivals.clear()
        var sent: [Int: ContinuousClock.Instant] = [:]
        for number in 1000..<3000 {
            sent[number] = .now
            server.write(frame(number))
            try await Task.sleep(for: .milliseconds(10))
        }
        try await eventually("all frames") { (arrivals.count == sent.count).orNil }
        let waits = sent.compactMap { number, began in arrivals[number].map { $0 - began } }.sorted()
        Benchmarks.row("frame in to subscriber, 100 frames/s, p50", milliseconds(waits[waits.count / 2]))
        Benchmarks.row("frame in to subscriber, p99", milliseconds(waits[waits.count * 99 / 100]), limit: "< 5 ms")
    }

    /// Sends 5 000 frames a second for 20 s, then as many as possible.
    private func throughput(_ server: SocketServer, _ arrivals: Arrivals) async throws {
        arrivals.clear()
        let total = 100_000
        let began = ContinuousClock.now
        for tenth in 0..<200 {
            server.write((0..<500).flatMap { frame(5000 + tenth * 500 + $0) })
            try await Task.sleep(until: began.advanced(by: .milliseconds(100 * (tenth + 1))), clock: .continuous)
        }
        let lastSent = ContinuousClock.now - began
        await wait(for: total, arrivals)
        Benchmarks.row(
            "5000 frames/s for \(Benchmarks.format(lastSent / .seconds(1), 1)) s, arrived",
            "\(arrivals.count) of \(total), and as history \(arrivals.total - arrivals.count)", limit: "all")
        arrivals.clear()
        let burst = (0..<total / 2).flatMap { frame(5000 + $0) }
        let start = ContinuousClock.now
        server.write(burst)
        await wait(for: total / 2, arrivals)
        let rate = Double(arrivals.count) / ((arrivals.last - start) / .seconds(1))
        Benchmarks.row(
            "as fast as the socket takes them",
            "\(Int(rate)) frames/s, \(arrivals.count) of \(total / 2), and as history "
                + "\(arrivals.total - arrivals.count)", limit: "all")
    }

    /// A newer frame displaces an older one from the live topic. The gateway sends the displaced ones as history, 50 a
    /// second.
    private func wait(for total: Int, _ arrivals: Arrivals) async {
        _ = try? await eventually("all live frames", within: 10) { (arrivals.count == total).orNil }
        let missing = Double(total - arrivals.count)
        _ = try? await eventually("all frames", within: 10 + missing / 25) { (arrivals.total == total).orNil }
    }

    private func idle(_ server: SocketServer, _ gateway: Child) async throws {
        let before = try usage(of: gateway.pid)
        for number in 0..<60 {
            server.write(frame(7000 + number))
            try await Task.sleep(for: .seconds(1))
        }
        let after = try usage(of: gateway.pid)
        Benchmarks.row(
            "CPU at 1 frame/s over 60 s",
            Benchmarks.format((after.cpuSeconds - before.cpuSeconds) / 60 * 100) + " % of a core",
            limit: "< 1 %")
        let switches = after.switches.map { $0.value - (before.switches[$0.key] ?? 0) }.reduce(0, +)
        Benchmarks.row("context switches at 1 frame/s", Benchmarks.format(Double(switches) / 60, 1) + " /s")
        Benchmarks.row("RSS, after all of the above", Benchmarks.format(after.residentMB, 1) + " MB", limit: "< 48 MB")
        Benchmarks.row("anonymous memory", Benchmarks.format(after.anonymousMB, 1) + " MB", limit: "< 12 MB")
    }

    private struct Usage {
        var cpuSeconds = 0.0
        var residentMB = 0.0
        var anonymousMB = 0.0
        /// Context switches by thread, because threads start and end during the run.
        var switches: [String: Int] = [:]
    }

    private func usage(of pid: Int32) throws -> Usage {
        var usage = Usage()
        let stat = try String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8).split(separator: " ")
        usage.cpuSeconds = ((Double(stat[13]) ?? 0) + (Double(stat[14]) ?? 0)) / Double(sysconf(Int32(_SC_CLK_TCK)))
        for task in try FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task") {
            for (key, value) in try fields("/proc/\(pid)/task/\(task)/status") where key.hasSuffix("ctxt_switches:") {
                usage.switches[task, default: 0] += Int(value)
            }
        }
        let memory = try fields("/proc/\(pid)/status")
        usage.residentMB = (memory["VmRSS:"] ?? 0) / 1024
        usage.anonymousMB = (memory["RssAnon:"] ?? 0) / 1024
        return usage
    }

    private func fields(_ file: String) throws -> [String: Double] {
        let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
        let pairs = lines.compactMap { line -> (String, Double)? in
            let words = line.split(whereSeparator: \.isWhitespace)
            guard words.count >= 2, let value = Double(words[1]) else { return nil }
            return (String(words[0]), value)
        }
        return Dictionary(pairs, uniquingKeysWith: { $1 })
    }

    /// A frame whose altitude in tenths of a metre is its number.
    private func frame(_ number: Int) -> [UInt8] {
        Array(
            "1/RS41/403.500/V4210150/47.38/8.54/\(number / 10).\(number % 10)/36.0/5.0/98.5/88/-1250/0/30600/4011/0/0/0/0/3.10/o\r\n"
                .utf8)
    }

    private func milliseconds(_ duration: Duration) -> String { Benchmarks.format(duration / .milliseconds(1)) + " ms" }
}
