// swift-tools-version: 6.2
import PackageDescription

// A package of its own: without --sanitize=fuzzer these programs have no main.
let package = Package(
    name: "Fuzz",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "sondygo2mqtt", path: "../..")],
    targets: [
        fuzzer("FuzzFrames", "ReceiverProtocol"),
        fuzzer("FuzzCommands", "GatewayCore", "ReceiverProtocol"),
        fuzzer("FuzzSondeHub", "GatewayCore", "SondeHubProtocol"),
        fuzzer("FuzzPredictions", "GatewayCore", "ReceiverProtocol", "SondeHubProtocol"),
        fuzzer("FuzzGPSD", "GatewayCore", support: true),
        fuzzer("FuzzOwnTracks", "GatewayCore", support: true),
        fuzzer("FuzzRoutes", "GatewayCore", "SondeHubProtocol"),
        fuzzer("FuzzFeeds", "Feeds", "GatewayCore"),
        fuzzer("FuzzATT", "BluetoothProtocol", "ReceiverProtocol"),
        fuzzer("FuzzMgmt", "BluetoothProtocol", "GatewayCore", "ReceiverProtocol"),
        fuzzer("FuzzAdvertisements", "BluetoothProtocol", "ReceiverProtocol"),
        .target(
            name: "FuzzSupport", dependencies: [library("GatewayCore"), library("ReceiverProtocol")],
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
