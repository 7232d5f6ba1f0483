import GatewayTestSupport
import Testing

@testable import GatewayReports

/// The health report in Prometheus' text format.
@Suite struct MetricsTests {
    private func report() throws -> HealthReport {
        var script = Script()
        script.connect()
        script.frame(Script.position())
        script.fix()
        let health = script.health()
        var report = try #require(health)
        report.process.residentBytes = 20_000_000
        report.process.anonymousBytes = 10_000_000
        report.process.feeds = [FeedCounts(name: "rdz", clients: 1, messages: 2, drops: 3)]
        return report
    }

    /// Names and units by the conventions; each metric has its help and its type once, before its samples.
    @Test func theFormat() throws {
        var types: [String: Substring] = [:]
        var helped: Set<String> = []
        var samples = 0
        let lines = try report().metrics.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        for line in lines {
            if let match = line.wholeMatch(of: /# HELP (sondygo2mqtt_[a-z_]+) (\S.*\.)/) {
                #expect(helped.insert(String(match.1)).inserted, "\(line)")
            } else if let match = line.wholeMatch(of: /# TYPE (sondygo2mqtt_[a-z_]+) (counter|gauge)/) {
                #expect(types.updateValue(match.2, forKey: String(match.1)) == nil, "\(line)")
            } else {
                let match = try #require(
                    line.wholeMatch(of: /(sondygo2mqtt_[a-z_]+)(?:\{[a-z]+="[^"\\]+"\})? (\d+)/), "\(line)")
                let type = try #require(types[String(match.1)], "\(line)")
                #expect(match.1.hasSuffix("_total") == (type == "counter"), "\(line)")
                samples += 1
            }
        }
        #expect(Set(types.keys) == helped && types.count >= 20 && samples > types.count)
    }

    /// Each number of `health` is there.
    @Test func everyNumberOfHealth() throws {
        let report = try report()
        func numbers(_ value: JSONValue) -> Int {
            switch value {
            case .bool, .integer, .number, .digits: 1
            case .object(let members): members.values.map(numbers).reduce(0, +)
            case .null, .string, .array: 0
            }
        }
        let health = try #require(JSONValue(json: report.payload))
        let samples = report.metrics.split(separator: "\n").count { !$0.hasPrefix("#") }
        // The text also counts the refused subscriptions, and says whether another gateway is there and whether the store
        // has failed.
        #expect(samples == numbers(health) + 3)
    }

    @Test func samples() throws {
        let lines = Set(try report().metrics.split(separator: "\n"))
        for line in [
            "sondygo2mqtt_frames_total{type=\"1\"} 1", "sondygo2mqtt_memory_resident_bytes 20000000",
            "sondygo2mqtt_feed_drops_total{feed=\"rdz\"} 3", "sondygo2mqtt_car_fixes_total{source=\"gpsd\"} 1",
            "sondygo2mqtt_clock_synced 1",
        ] { #expect(lines.contains(Substring(line)), "\(line)") }
    }
}
