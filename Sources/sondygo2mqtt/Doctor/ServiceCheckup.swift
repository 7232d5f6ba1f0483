import FoundationEssentials
import GatewayCore
import GatewayRuntime
import Glibc
import MosquittoClient
import SondeHubClient

/// Is everything around the gateway there: broker, SondeHub, gpsd, clock, disk?
struct ServiceCheckup {
    let configuration: Configuration

    /// Seconds for each service to answer.
    private static let limit = 10

    func findings() async -> [Finding] {
        async let broker = broker
        async let sondeHub = sondeHub
        return await [broker, sondeHub, gpsd, clock, stateDirectory]
    }

    private var broker: Finding {
        get async {
            let place = "\(configuration.mqtt.host):\(configuration.mqtt.port)"
            let session = MosquittoConfiguration(
                configuration, clientID: "\(configuration.clientID)-doctor-\(getpid())", topics: nil)
            let client: MosquittoClient
            do throws(MosquittoFailure) {
                client = try MosquittoClient(session)
            } catch {
                return Finding("broker", .wrong, "\(place): \(error); see mqtt in the configuration")
            }
            client.start()
            let deadline = Task {
                try await Task.sleep(for: .seconds(Self.limit))
                await client.stop()
            }
            defer { deadline.cancel() }
            var finding = Finding("broker", .wrong, "\(place) does not answer; is mosquitto running? see mqtt.host")
            for await event in client.events {
                switch event {
                case .connected: finding = Finding("broker", .ok, "\(place) accepts the gateway")
                case .connectFailed(let failure), .disconnected(let failure):
                    finding = Finding("broker", .wrong, "\(place): \(failure); see mqtt in the configuration")
                case .drained, .message, .acknowledged: continue  // Not what was asked.
                }
                break
            }
            await client.stop()
            return finding
        }
    }

    private var sondeHub: Finding {
        get async {
            guard configuration.sondeHub.isEnabled else { return Finding("sondehub", .ok, "is switched off") }
            let url = configuration.sondeHub.url
            do throws(SondeHubError) {
                let client = try SondeHubClient(.init(url: url, userAgent: Version.userAgent))
                let outcome: Finding
                do throws(SondeHubError) {
                    let answer = try await client.sondes(.site(configuration.sondeHub.site))
                    outcome = Finding("sondehub", .ok, "\(url) answers; sondes of the site: \(answer.records.count)")
                } catch {
                    outcome = Finding("sondehub", .note, "\(url): \(error.detail); without it the receiver is alone")
                }
                await client.close()
                return outcome
            } catch {
                return Finding("sondehub", .wrong, "\(url): \(error.detail)")
            }
        }
    }

    /// Where gpsd listens unless it is told otherwise.
    private static let gpsdPort: UInt16 = 2947

    private var gpsd: Finding {
        LoopbackPort.accepts(Self.gpsdPort)
            ? Finding("gpsd", .ok, "runs on this machine")
            : Finding("gpsd", .note, "does not run on this machine; the gateway does not need it")
    }

    private var clock: Finding {
        SystemGatewayClock().now.isClockSynced
            ? Finding("clock", .ok, "is set by NTP or GPS")
            : Finding("clock", .note, "is not set by NTP or GPS: published times may be wrong (clock_synced is false)")
    }

    private var stateDirectory: Finding {
        let path = configuration.gateway.stateDirectory
        guard FileManager.default.fileExists(atPath: path) else {
            return Finding("state", .wrong, "\(path) is not there; run: sudo install -d -o $USER \(path)")
        }
        return access(path, W_OK) == 0
            ? Finding("state", .ok, "\(path) can be written")
            : Finding("state", .wrong, "\(path) can't be written by this user; run: sudo chown $USER \(path)")
    }
}
