import ArgumentParser
import ReceiverProtocol

struct Flights: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the recorded flights, the newest first.",
        discussion: """
            Times are UTC, altitudes metres above sea level. Flights of "simulate" and "replay" are listed as simulated, \
            while it runs. Run it as the user that the gateway runs as, or with sudo. \
            "sondygo2mqtt export SERIAL --format gpx" writes one of them as a file.
            """, subcommands: [FlightsRecover.self])

    @Flag(
        help:
            "How far off each method's predictions were, where the landing was seen, and what the flights have taught.")
    var scores = false

    @Flag(help: "The course of each flight and of the car's drive to it.")
    var log = false

    @Option(help: "How many flights, 1 to 100000.")
    var limit = 50

    @OptionGroup var shared: SharedOptions

    func run() async throws {
        guard 1...100_000 ~= limit else { CommandFailure(.usage, "--limit \(limit): give 1 to 100000").exit() }
        let archive = RecordedFlights(shared)
        defer { archive.tellOfDamage() }
        let flights = await archive.flights(limit: limit)
        guard !flights.isEmpty else { return writeLine("no flight is recorded yet") }
        writeLine(FlightTable.header)
        for flight in flights {
            writeLine(FlightTable.line(of: flight))
            if log {
                for line in FlightTable.lines(ofLog: await archive.log(of: flight)) { writeLine(line) }
            }
            guard scores, let score = await archive.score(of: flight) else { continue }
            for line in FlightTable.lines(of: score) { writeLine(line) }
        }
        guard scores else { return }
        for line in FlightTable.lines(ofLessons: await archive.lessons()) { writeLine(line) }
    }
}
