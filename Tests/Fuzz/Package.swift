// swift-tools-version: 6.2
import PackageDescription

// A package of its own: without --sanitize=fuzzer these programs have no main.
let package = Package(
    name: "Fuzz",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "sondygo2mqtt", path: "../..")],
    targets: [
        fuzzer("FuzzFrames", "ReceiverProtocol"),
        fuzzer("FuzzCommands", "FlightMath", "GatewayCore", "ReceiverProtocol"),
        fuzzer("FuzzSondeHub", "FlightMath", "GatewayCore", "SondeHubProtocol"),
        fuzzer("FuzzPredictions", "FlightMath", "GatewayCore", "ReceiverProtocol", "SondeHubProtocol"),
        fuzzer("FuzzGPSD", "FlightMath", "GatewayCore", support: true),
        fuzzer("FuzzOwnTracks", "FlightMath", "GatewayCore", support: true),
        fuzzer("FuzzRoutes", "FlightMath", "GatewayCore", "SondeHubProtocol"),
        fuzzer("FuzzFeeds", "Feeds", "FlightMath", "GatewayCore"),
        fuzzer("FuzzATT", "BluetoothProtocol", "ReceiverProtocol"),
        fuzzer("FuzzMgmt", "BluetoothProtocol", "FlightMath", "GatewayCore", "ReceiverProtocol"),
        fuzzer("FuzzAdvertisements", "BluetoothProtocol", "ReceiverProtocol"),
        .target(
            name: "FuzzSupport",
            dependencies: [library("FlightMath"), library("GatewayCore"), library("ReceiverProtocol")],
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
