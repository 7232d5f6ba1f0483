public import ArgumentParser
public import GatewayReports
import ReceiverProtocol

struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write a recorded flight as a file for Google Earth, OsmAnd, QGIS or a spreadsheet.",
        discussion: """
            To standard output: sondygo2mqtt export V4210150 --format gpx > V4210150.gpx. Also while the flight goes on. \
            Run it as the user that the gateway runs as, or with sudo.
            """)

    @Argument(help: "The sonde's serial, as \"sondygo2mqtt flights\" shows it; of several flights the newest.")
    var serial: String

    @Option(help: "gpx, kml, csv or geojson.")
    var format: FlightFileFormat

    @Flag(help: "The car's own way, too: gpx always holds it, csv as lines with the source car.")
    var car = false

    @Flag(help: "How the sonde was heard in place of where it was: each sample, also without a place. For csv.")
    var telemetry = false

    @OptionGroup var shared: SharedOptions

    func run() async throws {
        guard let serial = SondeSerial(name: serial, type: .other("")) else {
            CommandFailure(.usage, "a serial has letters and digits; \"sondygo2mqtt flights\" lists them").exit()
        }
        if car, format.carsWay == .never {
            CommandFailure(.usage, "--car: the formats gpx and csv can hold the car's way").exit()
        }
        if telemetry, format != .csv || car {
            CommandFailure(.usage, "--telemetry: a file of its own; use --format csv, without --car").exit()
        }
        let archive = RecordedFlights(shared)
        guard let flight = await archive.flights(of: serial, limit: 1).first else {
            CommandFailure(
                .unavailable, "no flight of \(serial) is recorded; \"sondygo2mqtt flights\" lists those that are"
            ).exit()
        }
        await archive.write(flight, as: telemetry ? .telemetry : .track(format, withCar: car))
        archive.tellOfDamage()
    }
}

extension FlightFileFormat: ExpressibleByArgument {}
