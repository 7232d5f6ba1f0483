// swift-tools-version: 6.2
import PackageDescription

// A package of its own: without --sanitize=fuzzer these programs have no main.
let package = Package(
    name: "Fuzz",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "sondygo2mqtt", path: "../..")],
    targets: [
        .executableTarget(
            name: "FuzzFrames", dependencies: [.product(name: "ReceiverProtocol", package: "sondygo2mqtt")],
            swiftSettings: [.unsafeFlags(["-parse-as-library"])]),
        .executableTarget(
            name: "FuzzSondeHub", dependencies: [.product(name: "GatewayCore", package: "sondygo2mqtt")],
            swiftSettings: [.unsafeFlags(["-parse-as-library"])]),
        .executableTarget(
            name: "FuzzCommands",
            dependencies: [
                .product(name: "GatewayCore", package: "sondygo2mqtt"),
                .product(name: "ReceiverProtocol", package: "sondygo2mqtt"),
            ],
            swiftSettings: [.unsafeFlags(["-parse-as-library"])]),
    ],
    swiftLanguageModes: [.v6]
)
