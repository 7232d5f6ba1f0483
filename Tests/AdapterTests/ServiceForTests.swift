import FlightMath
import FlightStore
import Foundation
import Gateway
import GatewayReports
import GatewayRuntime
import Logging
import MQTTPublishing
import SondeHubClient
import TestSupport
import Testing

extension FlightStore {
    static func forTests(in folder: URL) -> FlightStore {
        FlightStore(
            path: folder.path + "/gateway.sqlite",
            bounds: StoreBounds(messages: 10_000, messageHours: 1, flightDays: 1, megabytes: 10)
        ) { _ in }
    }
}

extension GatewayService {
    /// A gateway `test` without SondeHub.
    static func forTests(
        inputs: GatewayInputs, link: OpenLink = OpenLink(), broker: any Gateway.MessageBroker,
        feeds: [any ReportFeed] = [],
        notifier: ServiceNotifier = ServiceNotifier(environment: [:]),
        store: FlightStore
    ) throws -> GatewayService {
        let topics = try #require(Topics(base: "sondygo", id: "test"))
        return GatewayService(
            inputs: inputs, link: link, broker: broker, inbox: MQTTInbox(topics: topics),
            sources: CallSources(
                sondeHub: try SondeHubClient(
                    SondeHubClient.Configuration(url: "http://127.0.0.1:1", userAgent: "sondygo2mqtt/test"))),
            store: store, feeds: feeds, notifier: notifier,
            log: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }),
            makeFeed: { now in MQTTPublisher(topics: topics, startedAt: now.monotonic) },
            makeMachine: { now in
                GatewayMachine(info: InfoReport(version: "1", id: "test", machine: "m"), startedAt: now)
            })
    }
}
