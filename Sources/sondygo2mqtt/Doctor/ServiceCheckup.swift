import FlightMath
import Gateway
import GatewayReports
import GatewayRuntime
import Glibc
import MQTTPublishing
import MosquittoClient
import SondeHubClient

/// Checks the services around the gateway: broker, SondeHub, gpsd, clock, disk.
struct ServiceCheckup {
    let configuration: Configuration

    /// How long each service has to answer. All are asked at the same time.
    private static let limit = Duration.seconds(4)

    func findings() async -> [Finding] {
        let checkup = BrokerCheckup(configuration: configuration)
        async let brokerFinding = within(Self.limit + .seconds(1), or: checkup.isSilent) {
            await checkup.finding(within: Self.limit)
        }
        async let sondeHubFinding = within(
            Self.limit + .seconds(1),
            or: Finding.note(
                "sondehub", "\(configuration.sondeHub.url) does not answer; the receiver works without it")
        ) { await self.sondeHub }
        async let gpsdFinding = GPSDCheckup(configuration: configuration).finding
        return await [
            brokerFinding, sondeHubFinding, gpsdFinding, clock,
            PathCheckup.stateDirectory(configuration.gateway.stateDirectory),
        ] + DashboardCheckup(configuration: configuration).findings()
    }

    private var sondeHub: Finding {
        get async {
            guard configuration.sondeHub.isEnabled else {
                return Finding.ok("sondehub", "is switched off in the configuration")
            }
            let url = configuration.sondeHub.url
            do throws(OnlineServiceError) {
                let client = try SondeHubClient(.init(url: url, userAgent: Version.userAgent))
                let outcome: Finding
                do throws(OnlineServiceError) {
                    let answer = try await client.sondes(.site(configuration.sondeHub.site))
                    outcome = Finding.ok("sondehub", "\(url) answers; sondes of the site: \(answer.records.count)")
                } catch {
                    outcome = Finding.note("sondehub", "\(url): \(error.detail); the receiver works without it")
                }
                await client.close()
                return outcome
            } catch {
                return Finding.wrong("sondehub", "\(url): \(error.detail)")
            }
        }
    }

    private var clock: Finding {
        SystemGatewayClock().now.isClockSynced
            ? Finding.ok("clock", "is set by NTP or GPS")
            : Finding.note("clock", "is not set by NTP or GPS: published times may be wrong (clock_synced is false)")
    }
}
