public import ArgumentParser
import ReceiverProtocol
public import ReceiverSimulator

struct Simulate: GatewayCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run with a simulated receiver: a whole flight, without hardware.",
        discussion: """
            Without a configured broker a private mosquitto is started on a free port and stopped at the end. The \
            same seed gives the same flight, at any speed.
            """)

    @OptionGroup var shared: SharedOptions

    @Option(help: "How much faster than real time, the gateway's own timers included: at 60 an hour takes a minute.")
    var speed: String?

    @Option(help: "Chooses the flight.")
    var seed: String?

    @Option(help: "The receiver's firmware: 2.30 or 3.10.")
    var firmware = SimulatorOptions.Firmware.three

    @Option(help: "The sonde: \(SondeType.names.joined(separator: ", ")).")
    var sonde = "RS41"

    @Option(help: "The sonde's frequency, 400 to 406 MHz.")
    var frequency = 403.5

    @Option(help: "Seconds on the launch pad, 0 to 86400.")
    var launchDelay = 30.0

    @Option(help: "Where the balloon bursts, 500 to 50000 metres (default: by the seed, 24000 to 34000).")
    var burst: Double?

    @Flag(help: "A simulated car that chases the sonde: along the route if there is a route server, else straight.")
    var car = false

    @Option(
        help:
            "A fault, KIND@START:SECONDS, for example silence@60:20; KIND is silence, deaf, placeless, garbage, split or drop. Repeatable."
    )
    var fault: [String] = []

    func run() async throws {
        let flags = SharedOptions.table([
            ("receiver.transport", "simulate", "simulator"), ("receiver.speed", "--speed", speed),
            ("receiver.seed", "--seed", seed),
        ])
        let options: SimulatorOptions
        do throws(CommandFailure) {
            options = try simulatorOptions()
        } catch {
            error.exit()
        }
        let loader = shared.loader(flags, servesPage: true)
        let configuration = shared.load(loader)
        let level = SharedOptions.startLogging(configuration.gateway.logLevel)
        await Composition(
            configuration: configuration, simulator: options, simulatesCar: car, loader: loader, logLevel: level
        )
        .runWithBroker()
    }

    /// - Throws: kind `usage` if a value is not accepted.
    func simulatorOptions() throws(CommandFailure) -> SimulatorOptions {
        var faults: [SimulatedFault] = []
        for text in fault {
            guard let one = SimulatedFault(text) else {
                throw CommandFailure(
                    .usage, "--fault \(text.given): give KIND@START:SECONDS, for example silence@60:20")
            }
            faults.append(one)
        }
        let type = SondeType(name: sonde.uppercased())
        if case .other = type {
            throw CommandFailure(
                .usage, "--sonde \(sonde.given): give one of \(SondeType.names.joined(separator: ", "))")
        }
        guard let kilohertz = Tuning.kilohertz(frequency), 400_000...406_000 ~= kilohertz else {
            throw CommandFailure(.usage, "--frequency \(frequency): give 400 to 406 MHz")
        }
        guard 0...86_400 ~= launchDelay, burst.map({ 500...50_000 ~= $0 }) ?? true else {
            throw CommandFailure(.usage, "--launch-delay takes 0 to 86400 seconds, --burst 500 to 50000 metres")
        }
        return SimulatorOptions(
            firmware: firmware, sondeType: type, frequencyKHz: kilohertz, launchDelay: .seconds(launchDelay),
            burstAltitudeMetres: burst, faults: faults)
    }
}

extension SimulatorOptions.Firmware: ExpressibleByArgument {}
