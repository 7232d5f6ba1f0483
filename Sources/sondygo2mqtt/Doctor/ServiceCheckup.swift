import FlightMath
import Gateway
import GatewayReports
import GatewayRuntime
import Glibc
import MQTTPublishing
import MosquittoClient
import SondeHubClient

/// Is everything around the gateway there: broker, SondeHub, gpsd, clock, disk?
struct ServiceCheckup {
    let configuration: Configuration

    /// For each service to answer; they are asked at the same time.
    private static let limit = Duration.seconds(4)

    func findings() async -> [Finding] {
        let place = "\(configuration.mqtt.host):\(configuration.mqtt.port)"
        async let brokerFinding = within(
            Self.limit + .seconds(1),
            or: Finding("broker", .wrong, "\(place) does not answer; is mosquitto running? See mqtt.host")
        ) { await self.broker }
        async let sondeHubFinding = within(
            Self.limit + .seconds(1),
            or: Finding(
                "sondehub", .note, "\(configuration.sondeHub.url) does not answer; the receiver works without it")
        ) { await self.sondeHub }
        async let gpsdFinding = GPSDCheckup(configuration: configuration).finding
        return await [
            brokerFinding, sondeHubFinding, gpsdFinding, clock,
            PathCheckup.stateDirectory(configuration.gateway.stateDirectory),
        ] + DashboardCheckup(configuration: configuration).findings()
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
            let test = Topics(base: configuration.mqtt.baseTopic, id: configuration.gateway.id).map {
                MosquittoMessage(topic: $0.prefix + "/doctor", payload: Array("{}".utf8), key: 1)
            }
            client.start()
            let deadline = Task {
                try await Task.sleep(for: Self.limit)
                await client.stop()
            }
            defer { deadline.cancel() }
            var finding = Finding("broker", .wrong, "\(place) does not answer; is mosquitto running? See mqtt.host")
            for await event in client.events {
                switch event {
                case .connected:
                    finding = Finding("broker", .ok, "\(place) accepts the gateway")
                    // An access list is heeded for each message only.
                    guard let test, client.publish(test) == .taken else { break }
                    continue
                case .acknowledged: finding = Finding("broker", .ok, "\(place) accepts the gateway and its messages")
                case .refused(let topic, _, let reason):
                    finding = Finding(
                        "broker", .wrong,
                        "\(place) lets the gateway in, but takes no message on \(topic): \(reason); see its access list"
                    )
                case .connectFailed(let failure), .disconnected(let failure):
                    finding = Finding("broker", .wrong, "\(place): \(failure); see mqtt in the configuration")
                case .drained, .message, .subscriptionRefused: continue  // Not what was asked.
                }
                break
            }
            await client.stop()
            return finding
        }
    }

    private var sondeHub: Finding {
        get async {
            guard configuration.sondeHub.isEnabled else {
                return Finding("sondehub", .ok, "is switched off in the configuration")
            }
            let url = configuration.sondeHub.url
            do throws(OnlineServiceError) {
                let client = try SondeHubClient(.init(url: url, userAgent: Version.userAgent))
                let outcome: Finding
                do throws(OnlineServiceError) {
                    let answer = try await client.sondes(.site(configuration.sondeHub.site))
                    outcome = Finding("sondehub", .ok, "\(url) answers; sondes of the site: \(answer.records.count)")
                } catch {
                    outcome = Finding("sondehub", .note, "\(url): \(error.detail); the receiver works without it")
                }
                await client.close()
                return outcome
            } catch {
                return Finding("sondehub", .wrong, "\(url): \(error.detail)")
            }
        }
    }

    private var clock: Finding {
        SystemGatewayClock().now.isClockSynced
            ? Finding("clock", .ok, "is set by NTP or GPS")
            : Finding("clock", .note, "is not set by NTP or GPS: published times may be wrong (clock_synced is false)")
    }
}
