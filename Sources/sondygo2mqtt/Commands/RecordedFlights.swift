import FlightMath
import FlightStore
import Gateway
import GatewayReports
import Glibc
import ReceiverProtocol

/// The store for one-shot commands. If it can't be read, the process ends with a message.
struct RecordedFlights {
    private let reader: FlightReader

    init(_ configuration: Configuration) {
        reader = FlightReader(path: configuration.storePath)
    }

    func flights(of serial: SondeSerial? = nil, limit: Int) async -> [ArchivedFlight] {
        do throws(StoreError) {
            return try await reader.flights(of: serial, limit: limit)
        } catch {
            fail(error)
        }
    }

    func score(of flight: ArchivedFlight) async -> LandingScore? {
        do throws(StoreError) {
            return try await reader.score(ofFlight: flight)
        } catch {
            fail(error)
        }
    }

    func lessons() async -> [FlightLesson] {
        do throws(StoreError) {
            return try await reader.lessons()
        } catch {
            fail(error)
        }
    }

    /// Writes a flight to standard output.
    func write(_ flight: ArchivedFlight, as format: FlightFileFormat) async {
        do {
            try await reader.write(flight, as: format) { try writeWhole($0, to: STDOUT_FILENO) }
        } catch let error as StoreError {
            fail(error)
        } catch let failure as CommandFailure {
            failure.exit()
        } catch {
            CommandFailure(.unavailable, "\(error)").exit()
        }
    }

    private func fail(_ error: StoreError) -> Never {
        let remedy =
            switch error.code {
            case .corrupt: "the store is damaged; the gateway moves it aside and begins a new one"
            case .full, .readOnly, .inputOutput, .inUse:
                "is gateway.state_directory right, and may this user read it? Try sudo, or --config"
            }
        CommandFailure(.unavailable, "\(error.detail); \(remedy)").exit()
    }
}
