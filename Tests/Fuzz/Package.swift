// swift-tools-version: 6.2
import PackageDescription

// A separate package, because these programs have no main without --sanitize=fuzzer.
let package = Package(
    name: "Fuzz",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "sondygo2mqtt", path: "../..")],
    targets: [
        fuzzer("FuzzFrames", "ReceiverProtocol"),
        fuzzer("FuzzCommands", "FlightMath", "Gateway", "GatewayReports", "MQTTPublishing", "ReceiverProtocol"),
        fuzzer("FuzzSondeHub", "FlightMath", "Gateway", "GatewayReports", "SondeHubProtocol"),
        fuzzer("FuzzStream", "Gateway", "GatewayReports", "ReceiverProtocol", "SondeHubProtocol"),
        fuzzer("FuzzPredictions", "FlightMath", "Gateway", "ReceiverProtocol", "SondeHubProtocol"),
        fuzzer("FuzzGPSD", "FlightMath", "Gateway", support: true),
        fuzzer("FuzzNMEA", "FlightMath", "Gateway", support: true),
        fuzzer("FuzzOwnTracks", "FlightMath", "MQTTPublishing", support: true),
        fuzzer("FuzzRoutes", "FlightMath", "Gateway", "SondeHubProtocol"),
        fuzzer("FuzzFeeds", "Feeds", "FlightMath", "Gateway"),
        fuzzer("FuzzATT", "BluetoothProtocol", "ReceiverProtocol"),
        fuzzer("FuzzMgmt", "BluetoothProtocol", "FlightMath", "GatewayReports", "ReceiverProtocol"),
        fuzzer("FuzzAdvertisements", "BluetoothProtocol", "ReceiverProtocol"),
        .target(
            name: "FuzzSupport",
            dependencies: ["FlightMath", "Gateway", "GatewayReports", "MQTTPublishing", "ReceiverProtocol"].map(
                library),
            swiftSettings: [.enableUpcomingFeature("InternalImportsByDefault")]),
    ],
    swiftLanguageModes: [.v6]
)

func library(_ name: String) -> Target.Dependency { .product(name: name, package: "sondygo2mqtt") }

func fuzzer(_ name: String, _ libraries: String..., support: Bool = false) -> Target {
    .executableTarget(
        name: name, dependencies: libraries.map(library) + (support ? ["FuzzSupport"] : []),
        swiftSettings: [.unsafeFlags(["-parse-as-library"])])
}
