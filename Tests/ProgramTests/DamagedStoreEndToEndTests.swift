import Foundation
import TestSupport
import Testing

/// The whole program with a damaged store: it runs and relays live data.
@Suite(.serialized, .timeLimit(.minutes(10))) struct DamagedStoreEndToEndTests {
    /// Some of the 3000 flips of `DamagedStoreTests`.
    @Test func aStoreWithAFlippedBitKeepsTheGatewayAlive() async throws {
        let first = try await FrameBench()
        try await first.feed(50)
        try await first.killBroker()
        try await first.feed(50)
        try await first.waitUntilStored()
        try await first.end()
        let checkpoint = try Child(
            "python3",
            [
                "-c",
                "import sqlite3; sqlite3.connect('\(first.state.path)/gateway.sqlite').execute('PRAGMA wal_checkpoint(TRUNCATE)')",
            ])
        #expect(try await checkpoint.exitCode() == 0)
        let healthy = try Data(contentsOf: first.state.appendingPathComponent("gateway.sqlite"))
        let used = healthy.indices.filter { healthy[$0] != 0 }
        // The types of a row's values precede the values.
        let flight = try #require(healthy.range(of: Data("V4210150RS41".utf8))).lowerBound
        var random = SeededRandom(seed: 7)
        for number in 0..<32 {
            let state = try temporaryDirectory()
            var damaged = healthy
            let place = number < 16 ? flight - 1 - number / 4 : try #require(used.randomElement(using: &random))
            damaged[place] ^= UInt8(1) << (number < 16 ? number % 4 : Int.random(in: 0..<8, using: &random))
            guard TestLength.includes(number) else { continue }
            try damaged.write(to: state.appendingPathComponent("gateway.sqlite"))
            let bench = try await FrameBench(state: state)
            try await bench.feed(20)
            try await eventually("a live position with byte \(place): \(bench.gateway.text)") {
                (bench.altitudes("position").last == 502).orNil
            }
            // If damage is found after a point was saved, that point is lost. The next one stays.
            try await eventually("a point is recorded with byte \(place)") {
                try await bench.feed(5, every: .milliseconds(100))
                return (try await Int(bench.query("SELECT count(*) FROM point")) ?? 0 > 0).orNil
            }
            try await bench.end()
            // A single wrong value is left out and stays; a damaged file has been replaced.
            let verdict = try await bench.query("PRAGMA quick_check")
            #expect(verdict == "ok" || verdict.contains(" value in "))
        }
    }

    /// The running gateway reports it and continues in a new store.
    @Test func aDeletedStateDirectoryIsReplaced() async throws {
        let bench = try await FrameBench()
        try await bench.feed(50)
        try FileManager.default.removeItem(at: bench.state)
        // The point of the next second is saved at once.
        try await bench.feed(20, every: .milliseconds(100))
        try await bench.subscriber.first(on: "sondygo/test/event") { $0.json["event"] as? String == "store_replaced" }
        try await bench.surviveAnEmptyBroker()
        let mode = try FileManager.default.attributesOfItem(atPath: bench.state.path)[.posixPermissions]
        #expect(mode as? Int == 0o700)
        try await bench.end()
        #expect(try await bench.query("SELECT count(*) FROM point") != "0")
    }

    @Test func aFileInPlaceOfTheStateDirectoryIsReported() async throws {
        let file = try temporaryDirectory().appendingPathComponent("state")
        try Data("mine".utf8).write(to: file)
        let bench = try await FrameBench(state: file)
        try await bench.surviveAnEmptyBroker()
        let failures = bench.messages.filter { $0.json["event"] as? String == "store_failed" }
        #expect(failures.count == 1)
        #expect((failures.first?.json["text"] as? String)?.contains("Not a directory") == true)
        try await bench.end()
        #expect(try Data(contentsOf: file) == Data("mine".utf8))
    }

    /// One gateway writes. The other reports the fault, relays live data, and writes when the first has ended.
    @Test func ofTwoGatewaysWithOneStoreOneWrites() async throws {
        let bench = try await FrameBench()
        try await bench.feed(50)
        let receiver = try SocketServer()
        let other = try GatewayProgram.start(
            ["run"],
            environment: [
                "SONDYGO_GATEWAY_ID": "other", "SONDYGO_MQTT_HOST": "127.0.0.1", "SONDYGO_MQTT_PORT": "\(bench.port)",
                "SONDYGO_RECEIVER_TRANSPORT": "tcp", "SONDYGO_RECEIVER_PORT": "\(receiver.port)",
                "SONDYGO_GATEWAY_STATE_DIRECTORY": bench.state.path,
            ])
        try await receiver.accept()
        receiver.write(
            Array("1/RS41/403.500/V4210151/47.38/8.54/500/10/2/117.5/100/0/0/0/4274/0/0/0/0/3.10/o\r\n".utf8))
        let told = try await bench.subscriber.first(on: "sondygo/other/event") {
            $0.json["event"] as? String == "store_failed"
        }
        #expect(told.json["reason"] as? String == "in_use")
        let text = try #require(told.json["text"] as? String)
        #expect(text.contains("(process \(bench.gateway.pid))"), "\(text)")
        try await bench.subscriber.first(on: "sondygo/other/position")
        // The first gateway's spool is not affected.
        try await bench.surviveAnEmptyBroker()
        try await bench.end()
        try await bench.subscriber.first(on: "sondygo/other/event") {
            $0.json["event"] as? String == "store_recovered"
        }
        other.kill(SIGTERM)
        #expect(try await other.exitCode() == 0)
    }
}
