import FlightMath
import Foundation
import Gateway
import GatewayReports
import ReceiverProtocol
import SondeHubProtocol
import TestSupport

/// A gap fill of 10 000 points, from SondeHub's bytes to the track, and the machine's own speed.
enum TrackBenchmark {
    private static let count = 10_000
    private static let chunk = 65_536

    static func run() async throws {
        let folder = try temporaryDirectory()
        let file = folder.appendingPathComponent("track.json")
        try Data(body.utf8).write(to: file)
        let megabytes = Double(try Data(contentsOf: file).count) / 1e6
        let before = try peakMB(reset: true)
        var best = Double.infinity
        for _ in 0..<5 {
            let began = ContinuousClock.now
            guard try decode(file) == count else { fatalError("points got lost") }
            best = min(best, (ContinuousClock.now - began) / .milliseconds(1))
        }
        let size = Benchmarks.format(megabytes, 1)
        Benchmarks.row("track of \(size) MB, 10 000 points, decoded", Benchmarks.format(best, 1) + " ms")
        Benchmarks.row(
            "  peak memory above idle", Benchmarks.format(try peakMB(reset: false) - before, 1) + " MB",
            limit: "< 10 MB")
        let python = try Child("python3", [Fixtures.url("Tests/Benchmarks/orjson_track.py").path, file.path])
        _ = try await python.exitCode(within: 60)
        Benchmarks.row("  Python's orjson on the same bytes", python.text.trimmingCharacters(in: .newlines))
        try insert(file)
        flight()
        steps()
    }

    private static func decode(_ file: URL) throws -> Int {
        let handle = try FileHandle(forReadingFrom: file)
        var stream = RecordStream(.track)
        var points = 0
        while let data = try handle.read(upToCount: chunk), !data.isEmpty {
            try stream.append(data)
            points += stream.takeRecords().count
        }
        try stream.end()
        return points
    }

    /// Passes the same points through the machine in random order.
    private static func insert(_ file: URL) throws {
        var stream = RecordStream(.track)
        try stream.append(Data(contentsOf: file))
        var random = SeededRandom(seed: 1)
        let records = stream.takeRecords().shuffled(using: &random)
        var (machine, now) = Self.machine()
        var call: CallID?
        // The first position makes the machine ask SondeHub for the gap; these points are the answer.
        let actions =
            machine.handle(.linkOpened(ReceiverPeer(name: "x", maximumWriteLength: 128)), at: now)
            + machine.handle(.frame(frame(altitude: 500)), at: now)
        for case .call(let id, .track) in actions { call = id }
        guard let call else { fatalError("no gap fill") }
        now.monotonic = now.monotonic.advanced(by: .seconds(1))
        let began = ContinuousClock.now
        _ = machine.handle(.answered(call, .trackPart(SondeHubAnswer(records: records))), at: now)
        _ = machine.handle(.answered(call, .trackEnd), at: now)
        let took = (ContinuousClock.now - began) / .milliseconds(1)
        Benchmarks.row("10 000 points out of order into the track", Benchmarks.format(took, 1) + " ms")
    }

    /// The same flight point by point with a prediction at each hundredth point, then the whole track judged in one
    /// pass.
    private static func flight() {
        let points = (0..<count).map { index in
            let altitude = index < 6000 ? 500 + Double(index) * 5 : 30_500 - Double(index - 6000) * 7.5
            return TrackPoint(
                time: WallTime(millisecondsSince1970: 1_765_450_000_000 + Int64(index) * 1000),
                coordinate: Coordinate(latitude: 46.8, longitude: 7 + Double(index) * 1e-4), altitudeMetres: altitude,
                source: .ble)
        }
        var flight = Flight()
        let predictor = OwnWindsPredictor()
        var (adding, predicting, slowest) = (Duration.zero, Duration.zero, Duration.zero)
        for (index, point) in points.enumerated() {
            let began = ContinuousClock.now
            _ = flight.insert(point)
            let taken = ContinuousClock.now
            adding += taken - began
            guard index > 100, index.isMultiple(of: 100) else { continue }
            guard predictor.prediction(for: flight) != nil else { fatalError("no prediction in flight") }
            predicting += ContinuousClock.now - taken
            slowest = max(slowest, ContinuousClock.now - taken)
        }
        Benchmarks.row(
            "a point into the flight", Benchmarks.format(adding / .microseconds(1) / Double(count)) + " µs",
            limit: "< 50 µs")
        Benchmarks.row(
            "a prediction by own winds, mean and slowest",
            Benchmarks.format(predicting / .milliseconds(1) / Double(count / 100 - 2), 3) + " / "
                + Benchmarks.format(slowest / .milliseconds(1), 3) + " ms", limit: "< 5 ms")
        var best = Double.infinity
        for _ in 0..<5 {
            let began = ContinuousClock.now
            _ = flight.judgeAnew()
            best = min(best, (ContinuousClock.now - began) / .milliseconds(1))
        }
        Benchmarks.row("10 000 points judged in one pass", Benchmarks.format(best) + " ms", limit: "< 5 ms")
    }

    private static func steps() {
        var (machine, now) = Self.machine()
        _ = machine.handle(.linkOpened(ReceiverPeer(name: "x", maximumWriteLength: 128)), at: now)
        let frames = (0..<100).map { frame(altitude: 500 + $0 * 5) }
        let total = 100_000
        let began = ContinuousClock.now
        for index in 0..<total {
            now.monotonic = now.monotonic.advanced(by: .seconds(1))
            now.wall = now.wall.advanced(byMilliseconds: 1000)
            _ = machine.handle(.frame(frames[index % frames.count]), at: now)
        }
        let rate = Double(total) / ((ContinuousClock.now - began) / .seconds(1))
        Benchmarks.row("steps of the machine, with a position each", "\(Int(rate)) /s")
    }

    private static func machine() -> (GatewayMachine, Moment) {
        let now = Moment(
            monotonic: .zero, wall: WallTime(millisecondsSince1970: 1_765_458_566_000), isClockSynced: true)
        let info = InfoReport(version: "bench", id: "bench", machine: "bench")
        return (GatewayMachine(info: info, sondeHub: SondeHubOptions(), startedAt: now), now)
    }

    private static func frame(altitude: Int) -> Frame {
        let text = "1/RS41/403.500/V3240531/46.8/7.9/\(altitude).0/36.0/5.0/98.5/88/0/0/30600/4011/0/0/0/0/3.10/o"
        guard let frame = try? FrameParser.parse(Array(text.utf8).span) else { fatalError("a valid frame") }
        return frame
    }

    /// Records as SondeHub sends them: many fields, most of them unused.
    private static var body: String {
        let records = (0..<count).map { index in
            let time = WallTime(millisecondsSince1970: 1_765_450_000_000 + Int64(index) * 1000).iso8601
            let latitude = 46.8 + Double(index) * 1e-5
            return """
                "\(time)":{"software_name":"radiosonde_auto_rx","software_version":"1.8.1","uploader_callsign":"HB9XYZ",\
                "uploader_position":"46.8131,6.9435","uploader_alt":490,"uploader_antenna":"1/4 wave monopole",\
                "time_received":"2025-12-11T13:09:08.412345Z","datetime":"\(time)","manufacturer":"Vaisala",\
                "type":"RS41","subtype":"RS41-SGP","serial":"V3240531","frame":\(7000 + index),"lat":\(latitude),\
                "lon":7.95904,"alt":\(500 + index * 3).2,"vel_h":11.6,"vel_v":-15.1,"heading":98.4,"sats":10,"batt":2.6,\
                "temp":-52.3,"humidity":45.2,"pressure":154.27,"frequency":403.501525,"tx_frequency":403.5,"snr":14.1,\
                "ref_datetime":"GPS","ref_position":"GPS","burst_timer":65535,"user-agent":"Amazon CloudFront",\
                "position":"46.82376,7.95904","upload_time_delta":-0.41,"uploader_alt_m":490,"xdata":"",\
                "uploaders":[{"uploader_callsign":"HB9XYZ","frequency":403.5015,"snr":14.1,"uploader_alt":490,\
                "uploader_position":"46.8131,6.9435","software_name":"radiosonde_auto_rx","software_version":"1.8.1"}]}
                """
        }
        return "{\"V3240531\":{" + records.joined(separator: ",") + "}}"
    }

    /// The process's peak resident memory since the last reset, MB.
    private static func peakMB(reset: Bool) throws -> Double {
        if reset { try Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs")) }
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
        return (Double(line.filter(\.isNumber)) ?? 0) / 1024
    }
}
