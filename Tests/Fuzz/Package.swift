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
        fuzzer("FuzzATT", "BluetoothProtocol", "ReceiverProtocol"),
        fuzzer("FuzzMgmt", "BluetoothProtocol", "GatewayCore", "ReceiverProtocol"),
        fuzzer("FuzzAdvertisements", "BluetoothProtocol", "ReceiverProtocol"),
    ],
    swiftLanguageModes: [.v6]
)

func fuzzer(_ name: String, _ libraries: String...) -> Target {
    .executableTarget(
        name: name, dependencies: libraries.map { .product(name: $0, package: "sondygo2mqtt") },
        swiftSettings: [.unsafeFlags(["-parse-as-library"])])
}
