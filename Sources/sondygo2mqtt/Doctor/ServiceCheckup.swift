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
    /// The service that runs this configuration; nil if it is unknown.
    var service: InstalledService?
    /// The page asks often, and nobody waits long for it.
    var isForPage = false

    /// How long each service has to answer. All are asked at the same time.
    private static let limit = Duration.seconds(4)
    /// How long the broker has: a session may take as long for each of its steps.
    private static let brokerLimit = MosquittoClient.longestLimit * 3

    /// SondeHub's address as it may be shown.
    private var place: String { ConfigurationKey.withoutKey(configuration.sondeHub.url) }

    func findings() async -> [Finding] {
        async let brokerFindings = BrokerCheckup(configuration: configuration, isThorough: !isForPage)
            .findings(within: isForPage ? Self.limit : Self.brokerLimit)
        async let sondeHubFinding = within(
            Self.limit + .seconds(1),
            or: Finding.note(
                "sondehub", "\(place) does not answer; the receiver works without it",
                code: .sondeHubSilent)
        ) { await self.sondeHub }
        async let streamFinding = within(
            Self.limit + .seconds(1),
            or: Finding.note("stream", "SondeHub's live stream does not answer; the gateway polls instead")
        ) { await self.stream }
        async let gpsdFinding = GPSDCheckup(configuration: configuration).finding
        // The page's gateway itself reads these streams, and a port or a cable has one reader.
        async let carFindings = isForPage ? [] : CarInputCheckup(configuration: configuration).findings
        async let phoneFinding = PhoneCheckup(configuration: configuration).finding
        var found = await brokerFindings + [sondeHubFinding, streamFinding, gpsdFinding]
        found += await carFindings
        if let phone = await phoneFinding { found.append(phone) }
        found += [clock, PathCheckup.stateDirectory(configuration.gateway.stateDirectory)]
        return found + page.findings() + TerrainCheckup.findings(configuration)
    }

    private var page: DashboardCheckup {
        DashboardCheckup(configuration: configuration, isServed: service?.isRunning ?? false)
    }

    private var sondeHub: Finding {
        get async {
            guard configuration.sondeHub.isEnabled else {
                return Finding.ok("sondehub", "is switched off in the configuration")
            }
            do throws(OnlineServiceError) {
                let client = try SondeHubClient(.init(url: configuration.sondeHub.url, userAgent: Version.userAgent))
                let outcome: Finding
                do throws(OnlineServiceError) {
                    let answer = try await client.sondes(query)
                    outcome =
                        query == Self.nowhere
                        ? Finding.note(
                            "sondehub",
                            "\(place) answers, but is asked for nothing: nobody has said where this receiver "
                                + "is; a GPS does, or sudo sondygo2mqtt setup")
                        : Finding.ok("sondehub", "\(place) answers; sondes around: \(answer.records.count)")
                } catch {
                    outcome = Finding.note(
                        "sondehub", "\(place): \(error.detail); the receiver works without it", code: .sondeHubSilent)
                }
                await client.close()
                return outcome
            } catch {
                return Finding.wrong("sondehub", "\(place): \(error.detail)", code: .sondeHubSilent)
            }
        }
    }

    /// A question that costs nothing, to learn whether SondeHub answers.
    private static let nowhere = SondeHubQuery.area(Coordinate(latitude: 0, longitude: 0), radiusMetres: 1)

    private var query: SondeHubQuery {
        let options = configuration.sondeHubOptions
        if let site = options.site { return .site(site) }
        return options.place.map { .area($0, radiusMetres: options.radiusMetres) } ?? Self.nowhere
    }

    private var stream: Finding {
        get async {
            guard configuration.sondeHub.isEnabled, let place = configuration.sondeHub.streamPlace else {
                return Finding.ok("stream", "is switched off in the configuration")
            }
            do throws(OnlineServiceError) {
                var options = SondeHubClient.Configuration(
                    url: configuration.sondeHub.url, userAgent: Version.userAgent)
                options.stream = place
                let client = try SondeHubClient(options)
                let outcome: Finding
                do throws(OnlineServiceError) {
                    try await client.tryStream()
                    outcome = Finding.ok("stream", "SondeHub's live stream accepts the gateway")
                } catch {
                    outcome = Finding.note(
                        "stream", "SondeHub's live stream: \(error.detail); the gateway polls instead")
                }
                await client.close()
                return outcome
            } catch {
                return Finding.wrong("stream", error.detail)
            }
        }
    }

    private var clock: Finding {
        SystemGatewayClock().now.isClockSynced
            ? Finding.ok("clock", "is set by NTP or GPS")
            : Finding.note(
                "clock", "is not set by NTP or GPS: published times may be wrong (clock_synced is false)",
                code: .clockUnset)
    }
}
