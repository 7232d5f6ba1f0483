import Foundation

/// Tests/bench.sh runs this: `Benchmarks PROGRAM`, with the path of sondygo2mqtt's release build.
@main
struct Benchmarks {
    static func main() async throws {
        guard CommandLine.arguments.count == 2 else {
            print("usage: Benchmarks PATH_OF_SONDYGO2MQTT (see Tests/bench.sh)")
            exit(64)
        }
        ParseBenchmark.run()
        try await TrackBenchmark.run()
        try await RelayBenchmark(program: CommandLine.arguments[1]).run()
    }

    static func row(_ what: String, _ figure: String, limit: String = "") {
        let name = what.padding(toLength: 52, withPad: " ", startingAt: 0)
        print(limit.isEmpty ? "\(name) \(figure)" : "\(name) \(figure)   (limit \(limit))")
        fflush(nil)
    }

    static func format(_ value: Double, _ decimals: Int = 2) -> String { String(format: "%.\(decimals)f", value) }
}
