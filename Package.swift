// swift-tools-version: 6.2
import PackageDescription

// Every target is built in Swift 6 mode, with warnings as errors and imports that are internal unless said otherwise.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableExperimentalFeature("Lifetimes"),
    .treatAllWarnings(as: .error),
]

// Tests/run.sh tests optimised code: unoptimised, the walks and flights of the pure tests take a quarter of an hour. The
// tests themselves aren't optimised: an optimiser lets go of a broker before the last line that needs it.
// File by file: whole modules would take one core only, and all files anew after a change of one.
let tests =
    strict + [.unsafeFlags(["-Onone", "-no-whole-module-optimization"], .when(configuration: .release))]

let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let lifecycle: Target.Dependency = .product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let collections: Target.Dependency = .product(name: "DequeModule", package: "swift-collections")

let numerics: Target.Dependency = .product(name: "RealModule", package: "swift-numerics")

let package = Package(
    name: "sondygo2mqtt",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "sondygo2mqtt", targets: ["sondygo2mqtt"]),
        // For the fuzzers.
        .library(name: "ReceiverProtocol", targets: ["ReceiverProtocol"]),
        .library(name: "FlightMath", targets: ["FlightMath"]),
        .library(name: "GatewayReports", targets: ["GatewayReports"]),
        .library(name: "Gateway", targets: ["Gateway"]),
        .library(name: "MQTTPublishing", targets: ["MQTTPublishing"]),
        .library(name: "BluetoothProtocol", targets: ["BluetoothProtocol"]),
        .library(name: "SondeHubProtocol", targets: ["SondeHubProtocol"]),
        .library(name: "Feeds", targets: ["Feeds"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-async-algorithms", exact: "1.1.4"),
        .package(url: "https://github.com/apple/swift-collections", exact: "1.6.0"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/apple/swift-numerics", exact: "1.1.1"),
        .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", exact: "2.37.6"),
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
        .package(url: "https://github.com/jpsim/Yams", exact: "6.2.2"),
        .package(url: "https://github.com/swift-server/async-http-client", exact: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
    ],
    targets: [
        // The pure core: no system, only the standard library, its well-kept extensions and FoundationEssentials' JSON
        // decoder for commands.
        .target(name: "ReceiverProtocol", swiftSettings: strict),
        .target(name: "ReceiverSimulator", dependencies: ["ReceiverProtocol", numerics], swiftSettings: strict),
        .target(name: "FlightMath", dependencies: ["ReceiverProtocol", numerics], swiftSettings: strict),
        // A file for each language, which the program carries and the page reads.
        // In C, which embeds a text in no time.
        .target(name: "CLanguages", path: "Sources/Languages", exclude: ["Texts"]),
        .target(
            name: "GatewayReports", dependencies: ["CLanguages", "FlightMath", "ReceiverProtocol"],
            swiftSettings: strict),
        .target(
            name: "Gateway", dependencies: ["FlightMath", "GatewayReports", "ReceiverProtocol", collections],
            swiftSettings: strict),
        .target(
            name: "MQTTPublishing", dependencies: ["FlightMath", "Gateway", "GatewayReports", "ReceiverProtocol"],
            swiftSettings: strict),

        // The pure half of Bluetooth: packets, ATT and GATT, the link and its repairs.
        .target(
            name: "BluetoothProtocol", dependencies: ["CBluetooth", "Gateway", "GatewayReports", "ReceiverProtocol"],
            swiftSettings: strict),

        // The pure half of SondeHub: the formats of its answers, taken apart while they stream in.
        .target(
            name: "SondeHubProtocol", dependencies: ["FlightMath", "Gateway", "GatewayReports", "ReceiverProtocol"],
            swiftSettings: strict),

        // A fleet's board: the messages of all cars in, events of a page out. Pure.
        .target(
            name: "FleetBoard", dependencies: ["FlightMath", "GatewayReports", "ReceiverProtocol"],
            swiftSettings: strict),

        // Adapters: each speaks to one outside thing, none imports another.
        .systemLibrary(name: "CLinux"),
        .systemLibrary(name: "CBluetooth", pkgConfig: "bluez", providers: [.apt(["libbluetooth-dev"])]),
        .systemLibrary(name: "CMosquitto", pkgConfig: "libmosquitto", providers: [.apt(["libmosquitto-dev"])]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "libssl", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .target(
            name: "MosquittoClient",
            dependencies: ["CLinux", "CMosquitto", "COpenSSL", "Gateway", "GatewayReports", "Threads", collections],
            swiftSettings: strict),
        .target(name: "Threads", dependencies: ["CLinux"], swiftSettings: strict),
        .target(
            name: "FlightStore",
            dependencies: [
                "FlightMath", "Gateway", "GatewayReports", "Threads", .product(name: "GRDB", package: "GRDB.swift"),
            ],
            swiftSettings: strict),
        .target(
            name: "TerrainTiles", dependencies: ["FlightMath", "Gateway", "Threads"], swiftSettings: strict),
        .target(
            name: "SondeHubClient",
            dependencies: [
                "CZlib", "FlightMath", "Gateway", "GatewayReports", "ReceiverProtocol", "SondeHubProtocol", "Threads",
                .product(name: "AsyncAlgorithms", package: "swift-async-algorithms"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"), collections,
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"), .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOWebSocket", package: "swift-nio"),
            ],
            swiftSettings: strict),
        .target(
            name: "Feeds",
            dependencies: [
                "FlightMath", "Gateway", "GatewayReports", "ReceiverProtocol", lifecycle, logging,
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: strict),
        .target(
            name: "Alerts",
            dependencies: [
                "FlightMath", "Gateway", "GatewayReports", "ReceiverProtocol", "Threads", lifecycle, logging,
            ],
            swiftSettings: strict),
        .target(
            name: "TransportIO", dependencies: ["Gateway", "GatewayReports", "ReceiverProtocol"], swiftSettings: strict),
        .target(
            name: "StreamTransports",
            dependencies: [
                "CLinux", "FlightMath", "Gateway", "GatewayReports", "ReceiverProtocol", "Threads", "ReceiverSimulator",
                "TransportIO",
            ],
            swiftSettings: strict),
        .target(
            name: "BlueZTransport",
            dependencies: [
                "BluetoothProtocol", "CBluetooth", "CLinux", "Gateway", "GatewayReports", "ReceiverProtocol", "Threads",
                "TransportIO",
            ],
            swiftSettings: strict),

        // The page in the car: HTTP, Server-Sent Events, map tiles.
        .target(
            name: "Dashboard",
            dependencies: [
                "CZlib", "FlightMath", "Gateway", "GatewayReports", "ReceiverProtocol", "Threads", numerics, logging,
                .product(name: "GRDB", package: "GRDB.swift"), .product(name: "GRDBSQLite", package: "GRDB.swift"),
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: strict),

        // The services, and the program that puts them together.
        .target(
            name: "GatewayRuntime",
            dependencies: [
                "CLinux", "FlightMath", "Gateway", "GatewayReports", "MQTTPublishing", "ReceiverProtocol",
                "Threads", "TransportIO", collections, lifecycle, logging,
                .product(name: "AsyncAlgorithms", package: "swift-async-algorithms"),
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "sondygo2mqtt",
            dependencies: [
                "Alerts", "BlueZTransport", "BluetoothProtocol", "CLinux", "Dashboard", "Feeds", "FleetBoard",
                "FlightMath", "FlightStore", "Gateway", "GatewayReports", "GatewayRuntime", "MQTTPublishing",
                "MosquittoClient", "ReceiverProtocol", "ReceiverSimulator", "SondeHubClient", "StreamTransports",
                "TerrainTiles", "Threads", "TransportIO", "Yams", lifecycle,
                logging,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict),

        // Tests. One place for their support; real brokers, terminals and sockets.
        .target(
            name: "TestSupport",
            dependencies: ["FlightMath", "Gateway", "GatewayReports", "ReceiverProtocol", "Threads"],
            path: "Tests/TestSupport",
            exclude: [
                "alerts.py", "liveflight.py", "powercut.c", "slowdisk.c", "sondehub.py", "lossypath.py", "stall.py",
                "streampeer.py",
                "tiles.py",
                "validate.py",
            ],
            swiftSettings: tests),
        .testTarget(
            name: "ReceiverProtocolTests", dependencies: ["ReceiverProtocol", "ReceiverSimulator", "TestSupport"],
            swiftSettings: tests),
        .testTarget(
            name: "FlightMathTests",
            dependencies: ["FlightMath", "ReceiverProtocol", "ReceiverSimulator", "TestSupport"],
            swiftSettings: tests),
        .target(
            name: "GatewayTestSupport",
            dependencies: [
                "FlightMath", "Gateway", "GatewayReports", "MQTTPublishing", "ReceiverProtocol", "TestSupport",
            ],
            path: "Tests/GatewayTestSupport", swiftSettings: tests),
        .testTarget(
            name: "GatewayReportsTests",
            dependencies: ["FlightMath", "GatewayReports", "GatewayTestSupport", "ReceiverProtocol", "TestSupport"],
            swiftSettings: tests),
        .testTarget(
            name: "GatewayTests",
            dependencies: [
                "FlightMath", "Gateway", "GatewayReports", "GatewayTestSupport", "MQTTPublishing", "ReceiverProtocol",
                "ReceiverSimulator", "TestSupport",
            ],
            swiftSettings: tests),
        .testTarget(
            name: "MQTTPublishingTests",
            dependencies: [
                "FlightMath", "Gateway", "GatewayReports", "GatewayTestSupport", "MQTTPublishing", "ReceiverProtocol",
                "TestSupport",
            ],
            swiftSettings: tests),
        .testTarget(
            name: "FleetBoardTests", dependencies: ["FleetBoard", "FlightMath", "GatewayReports", "ReceiverProtocol"],
            swiftSettings: tests),
        .testTarget(
            name: "BluetoothProtocolTests",
            dependencies: ["BluetoothProtocol", "Gateway", "GatewayReports", "ReceiverProtocol", "TestSupport"],
            swiftSettings: tests
        ),
        .testTarget(
            name: "SondeHubProtocolTests",
            dependencies: [
                "FlightMath", "Gateway", "GatewayReports", "ReceiverProtocol", "SondeHubProtocol", "TestSupport",
            ],
            swiftSettings: tests
        ),
        .testTarget(
            name: "FeedsTests",
            dependencies: [
                "Feeds", "FlightMath", "FlightStore", "Gateway", "GatewayReports", "ReceiverProtocol", "TestSupport",
                logging, .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: tests),
        .testTarget(
            name: "ReceiverSimulatorTests", dependencies: ["ReceiverProtocol", "ReceiverSimulator"],
            swiftSettings: tests),
        // The pure parts of adapters and of the program.
        .testTarget(
            name: "RulesTests",
            dependencies: [
                "Alerts", "BluetoothProtocol", "Dashboard", "Feeds", "FlightMath", "Gateway", "GatewayReports",
                "GatewayRuntime", "MQTTPublishing", "MosquittoClient", "ReceiverProtocol", "TestSupport", "Yams",
                "sondygo2mqtt", logging,
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOEmbedded", package: "swift-nio"),
            ],
            swiftSettings: tests),
        .testTarget(
            name: "AdapterTests",
            dependencies: [
                "Alerts",
                "BlueZTransport", "BluetoothProtocol", "Dashboard", "FlightMath", "FlightStore", "Gateway",
                "GatewayReports", "GatewayRuntime", "MQTTPublishing", "MosquittoClient", "ReceiverProtocol",
                "ReceiverSimulator", "SondeHubClient", "StreamTransports", "TerrainTiles", "TestSupport", "Threads",
                "TransportIO", logging, .product(name: "AsyncAlgorithms", package: "swift-async-algorithms"),
                .product(name: "GRDB", package: "GRDB.swift"), .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            swiftSettings: tests),
        .testTarget(
            name: "ProgramTests",
            dependencies: [
                "BluetoothProtocol", "Dashboard", "Feeds", "FlightMath", "FlightStore", "Gateway", "GatewayReports",
                "MQTTPublishing", "ReceiverProtocol", "SondeHubClient", "TestSupport", "Yams", "sondygo2mqtt", logging,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: tests),

        // Figures, run by Tests/bench.sh.
        .target(name: "CReferenceParser", path: "Tests/CReferenceParser"),
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                "CReferenceParser", "FlightMath", "Gateway", "GatewayReports", "MosquittoClient", "ReceiverProtocol",
                "SondeHubProtocol", "TestSupport",
            ],
            path: "Tests/Benchmarks", exclude: ["compare.py", "feeds.py", "orjson_track.py", "relay.py"],
            swiftSettings: strict),
        // Figures on real flights from outside the repository, run by Tests/measure-flights.sh.
        .executableTarget(
            name: "FlightMeasurements",
            dependencies: ["FlightMath", "Gateway", "GatewayReports", "GatewayTestSupport", "ReceiverProtocol"],
            path: "Tests/FlightMeasurements", exclude: ["advice.mjs", "fit-radii.py", "make-flights.py"],
            swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
