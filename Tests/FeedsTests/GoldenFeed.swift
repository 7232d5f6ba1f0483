import Foundation
import ReceiverProtocol
import TestSupport

@testable import Feeds
@testable import FlightMath
@testable import Gateway

/// A pair in `Fixtures/feeds`: a state (`NAME.json`), and each feed's bytes for it (`NAME.rdz` and so on).
struct GoldenFeed: Decodable, Sendable, CustomStringConvertible {
    struct Sonde: Decodable, Sendable {
        var serial: String
        var type: String?
        var source: String
        var latitude, longitude, altitudeM: Double
        var horizontalSpeedMps, verticalSpeedMps, courseDeg, temperatureC, pressureHpa: Double?
        var timeMs, ageMs: Int64
        var frequencyMhz, rssiDbm: Double?
        var afcHz: Int?
        var phase: String
        var burstMs, firstMs: Int64?
        var highestM: Double?
    }

    struct Car: Decodable, Sendable {
        var latitude, longitude: Double
        var altitudeM, speedMps, courseDeg, accuracyM: Double?
    }

    var sonde: Sonde?
    var car: Car?
    var listeningMhz: Double?
    var nowMs: Int64
    var clockSynced: Bool

    static let names = [
        "ascending", "descending", "high", "landed", "m20-of-sondehub", "nothing", "old", "without-speeds",
    ]

    static func named(_ name: String) throws -> GoldenFeed {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(
            GoldenFeed.self, from: Data(contentsOf: Fixtures.url("Fixtures/feeds/\(name).json")))
    }

    var description: String { sonde?.serial ?? "nothing" }

    var now: Moment {
        Moment(
            monotonic: MonotonicTime(nanoseconds: 1_000_000_000_000), wall: WallTime(millisecondsSince1970: nowMs),
            isClockSynced: clockSynced)
    }

    var feedSonde: FeedSonde? {
        guard let sonde, let serial = SondeSerial(name: sonde.serial, type: .other("")),
            let source = TelemetrySource(rawValue: sonde.source), let phase = FlightPhase(rawValue: sonde.phase)
        else { return nil }
        var feed = FeedSonde(
            serial: serial, sondeType: sonde.type.map { SondeType(name: $0) }, source: source,
            coordinate: Coordinate(latitude: sonde.latitude, longitude: sonde.longitude),
            altitudeMetres: sonde.altitudeM, time: WallTime(millisecondsSince1970: sonde.timeMs),
            age: .milliseconds(sonde.ageMs), phase: phase)
        feed.horizontalSpeed = sonde.horizontalSpeedMps
        feed.verticalSpeed = sonde.verticalSpeedMps
        feed.courseDegrees = sonde.courseDeg
        feed.temperatureCelsius = sonde.temperatureC
        feed.pressureHectopascal = sonde.pressureHpa
        feed.frequencyMHz = sonde.frequencyMhz
        feed.rssiDBm = sonde.rssiDbm
        feed.afcHz = sonde.afcHz
        feed.burstAt = sonde.burstMs.map { WallTime(millisecondsSince1970: $0) }
        feed.firstAt = sonde.firstMs.map { WallTime(millisecondsSince1970: $0) }
        feed.highestMetres = sonde.highestM
        return feed
    }

    var carPosition: CarPosition? {
        car.map { car in
            CarPosition(
                source: .gpsd, coordinate: Coordinate(latitude: car.latitude, longitude: car.longitude),
                altitudeMetres: car.altitudeM, speed: car.speedMps, courseDegrees: car.courseDeg,
                accuracyMetres: car.accuracyM, time: now.wall, heardAt: now.monotonic)
        }
    }
}

extension [UInt8] {
    var text: String { String(decoding: self, as: UTF8.self) }
    /// Formats bytes as `7e 00 81`.
    var hexBytes: String { map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ") }

    init(hex text: String) {
        self = text.split(whereSeparator: \.isWhitespace).compactMap { UInt8($0, radix: 16) }
    }
}
