import ArgumentParser
import FlightMath

struct Coverage: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show how far and how strongly the receiver has heard, by direction.",
        discussion: """
            Over all recorded flights: the mean RSSI in dBm by direction and distance, and how far a sonde was heard, \
            without what was nearer than 1 km. It needs a known place: the car's, or sondehub.latitude and longitude. Run \
            it as the user that the gateway runs as, or with sudo.
            """)

    @OptionGroup var shared: SharedOptions

    func run() async throws {
        let archive = RecordedFlights(shared)
        defer { archive.tellOfDamage() }
        let coverage = await archive.coverage()
        guard coverage.samples > 0 else { return writeLine("nothing was heard from a known place yet") }
        writeLine(Self.row("", ["heard"] + Self.bands + ["farthest"]))
        for (direction, name) in HeardCoverage.directions.enumerated() {
            guard let farthest = coverage.farthestMetres(direction) else { continue }
            let cells = (0...HeardCoverage.bandsKilometres.count).map { coverage.cell(direction, $0) }
            let heard = cells.reduce(0) { $0 + ($1?.samples ?? 0) }
            let levels = cells.map { $0.map { "\(Int($0.meanRSSIDBm.rounded()))dBm" } ?? "-" }
            writeLine(Self.row(name, ["\(heard)"] + levels + ["\(Int((farthest / 1000).rounded()))km"]))
        }
    }

    private static let bands =
        HeardCoverage.bandsKilometres.map { "<\($0)km" } + [">\(HeardCoverage.bandsKilometres.last ?? 0)km"]

    private static func row(_ name: String, _ columns: [String]) -> String {
        name.padded(to: 4) + columns.map { $0.padded(to: 8) }.joined(separator: " ")
    }
}
