import FlightMath
import Gateway
import GatewayReports
import NIOCore
import NIOHTTP1
import ReceiverProtocol

/// The recorded flights as downloads, and the current one as a live map.
struct FlightFiles: Sendable {
    private static let listed = 100

    private let surroundings: DashboardSurroundings
    private let hub: EventHub

    init(_ surroundings: DashboardSurroundings, _ hub: EventHub) {
        self.surroundings = surroundings
        self.hub = hub
    }

    func list() async -> Answer {
        do throws(StoreError) {
            return .json(FlightList.json(try await surroundings.archive.flights(of: nil, limit: Self.listed)))
        } catch {
            return .unreadable(error)
        }
    }

    /// - Parameter name: like `V4210150.gpx` or `V4210150.telemetry.csv`, percent-encoded. The serial may be `current` for
    ///   the followed sonde.
    func file(named name: Substring) async -> Answer {
        guard let name = name.percentDecoded else { return .refusal(.notFound) }
        let archive = surroundings.archive
        if name.hasSuffix("." + TelemetryFile.ending) {
            let serial = name.dropLast(TelemetryFile.ending.count + 1)
            return await download(of: serial, FlightFileFormat.csv.mediaType, ending: TelemetryFile.ending) {
                try await archive.writeTelemetry(of: $0, to: $1)
            }
        }
        // A serial may hold a dot, so the last one begins the ending.
        guard let dot = name.lastIndex(of: "."),
            let format = FlightFileFormat(rawValue: String(name[name.index(after: dot)...]))
        else { return .refusal(.notFound) }
        return await download(of: name[..<dot], format.mediaType, ending: format.rawValue) {
            try await archive.write($0, as: format, to: $1)
        }
    }

    private func download(
        of name: Substring, _ mediaType: String, ending: String,
        _ make: @escaping @Sendable (ArchivedFlight, ([UInt8]) async throws -> Void) async throws -> Void
    ) async -> Answer {
        guard let serial = serial(String(name)) else { return .refusal(.notFound) }
        do throws(StoreError) {
            guard let flight = try await surroundings.archive.flights(of: serial, limit: 1).first else {
                return .refusal(.notFound, "no flight of this sonde is recorded")
            }
            let file = FlightFileFormat.fileName(for: flight.serial, ending: ending)
            return Answer(
                .ok,
                headers: [
                    ("Content-Type", mediaType), ("Cache-Control", "no-store"),
                    ("Content-Disposition", "attachment; filename=\"\(file)\""),
                ],
                body: .pieces { write in try await make(flight) { try await write(ByteBuffer(bytes: $0)) } })
        } catch {
            return .unreadable(error)
        }
    }

    /// - Parameter name: percent-encoded, or `current` for the followed sonde.
    func serial(named name: Substring) -> SondeSerial? {
        name.percentDecoded.flatMap { serial(String($0)) }
    }

    private func serial(_ name: String) -> SondeSerial? {
        name == "current" ? hub.serial : SondeSerial(name: name, type: .other(""))
    }

    /// Answers `/live.kml` with a link to `/dynamic.kml`, and `/dynamic.kml` with the current flight.
    func liveMap(_ request: Request) async -> Answer {
        let host = request.headers["host"].first ?? "localhost"
        guard request.path == "/dynamic.kml" else {
            return Self.kml(LiveMap.networkLink(to: "http://\(host)/dynamic.kml"))
        }
        let snapshot = hub.snapshot
        var map = LiveMap(position: nil, track: [], prediction: nil, landing: nil, car: nil)
        if case .position(let report) = snapshot[.position] { map.position = report }
        if case .prediction(let report) = snapshot[.prediction] { map.prediction = report }
        if case .landing(let report) = snapshot[.landing] { map.landing = report }
        if case .chase(let report) = snapshot[.chase] { map.car = report.car?.coordinate }
        do throws(StoreError) {
            if let serial = snapshot.serial,
                let flight = try await surroundings.archive.flights(of: serial, limit: 1).first
            {
                map.track = try await surroundings.archive.newestPoints(ofFlight: flight.id, limit: LiveMap.trackPoints)
            }
        } catch {
            return .unreadable(error)
        }
        return Self.kml(map.kml(at: surroundings.clock.now.monotonic))
    }

    private static func kml(_ bytes: [UInt8]) -> Answer {
        Answer(
            .ok, headers: [("Content-Type", FlightFileFormat.kml.mediaType), ("Cache-Control", "no-store")],
            body: .bytes(ByteBuffer(bytes: bytes)))
    }
}
