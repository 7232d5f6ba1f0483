import FlightMath
import FlightStore
import Gateway
import GatewayReports
import Glibc
import ReceiverProtocol

/// The stores for one-shot commands: real flights, and simulated ones beside them. If none can be read, the process ends
/// with a message.
struct RecordedFlights {
    struct Flight {
        var archived: ArchivedFlight
        /// It is a simulated or a replayed one.
        var isSimulated: Bool
        fileprivate var reader: FlightReader
    }

    private let real: FlightReader
    /// No real flight has been recorded yet.
    private let isNew: Bool
    private let simulated: [FlightReader]

    init(_ shared: SharedOptions) {
        let configuration = shared.load(shared.loader())
        let running = AskedGateway.simulations(shared, configuration).map { $0.asked(by: configuration) }
        var paths: [String] = []
        for path in ([configuration] + running).map(\.simulatedStorePath)
        where access(path, R_OK) == 0 && !paths.contains(path) {
            paths.append(path)
        }
        real = FlightReader(path: configuration.realStorePath)
        isNew = access(configuration.realStorePath, F_OK) != 0 && errno == ENOENT
        simulated = paths.map { FlightReader(path: $0) }
    }

    /// The newest first.
    func flights(of serial: SondeSerial? = nil, limit: Int) async -> [Flight] {
        var flights: [Flight] = []
        for reader in simulated {
            // A simulation removes its store when it ends.
            guard let found = try? await reader.flights(of: serial, limit: limit) else { continue }
            flights += found.map { Flight(archived: $0, isSimulated: true, reader: reader) }
        }
        do throws(StoreError) {
            flights += try await real.flights(of: serial, limit: limit)
                .map { Flight(archived: $0, isSimulated: false, reader: real) }
        } catch {
            guard !flights.isEmpty else { fail(error) }
            if !isNew { AskedGateway.tell("only simulated flights: \(Self.text(of: error))") }
        }
        return Array(flights.sorted { $0.archived.last.time > $1.archived.last.time }.prefix(limit))
    }

    func score(of flight: Flight) async -> LandingScore? {
        do throws(StoreError) {
            return try await flight.reader.score(ofFlight: flight.archived)
        } catch {
            fail(error)
        }
    }

    /// The named places of a flight, what the crew's car did, and what happened to the receiver.
    func log(of flight: Flight) async -> FlightLogbook.Entry {
        do throws(StoreError) {
            return try await flight.reader.log(of: flight.archived)
        } catch {
            fail(error)
        }
    }

    /// How well the receiver has heard in real flights; while only simulations are recorded, in those.
    func coverage() async -> HeardCoverage {
        do throws(StoreError) {
            return try await (isNew ? simulated.first ?? real : real).coverage()
        } catch {
            fail(error)
        }
    }

    /// What real flights have taught.
    func lessons() async -> [FlightLesson] { (try? await real.lessons()) ?? [] }

    /// What a file tells of a flight.
    enum Content {
        case track(FlightFileFormat, withCar: Bool)
        case telemetry
    }

    /// Writes a flight to standard output.
    func write(_ flight: Flight, as content: Content) async {
        let give = { (bytes: [UInt8]) throws in try writeWhole(bytes, to: STDOUT_FILENO) }
        do {
            switch content {
            case .track(let format, let withCar):
                try await flight.reader.write(flight.archived, as: format, withCar: withCar, to: give)
            case .telemetry: try await flight.reader.writeTelemetry(of: flight.archived, to: give)
            }
        } catch let error as StoreError {
            fail(error)
        } catch let failure as CommandFailure {
            failure.exit()
        } catch {
            CommandFailure(.unavailable, "\(error)").exit()
        }
    }

    /// Says it if something of the flights could not be read and is missing in what was written.
    func tellOfDamage() {
        guard real.isDamaged || simulated.contains(where: \.isDamaged) else { return }
        AskedGateway.tell("a part of the flights can't be read and is left out; the disk or the card may be failing")
    }

    private func fail(_ error: StoreError) -> Never { CommandFailure(.unavailable, Self.text(of: error)).exit() }

    private static func text(of error: StoreError) -> String {
        let remedy =
            switch error.code {
            case .corrupt: "the store is damaged; the gateway moves it aside and begins a new one"
            case .full, .readOnly, .inputOutput, .inUse:
                "is gateway.state_directory right, and may this user read it? Try sudo, or --config"
            }
        return "\(error.detail); \(remedy)"
    }
}
