import FlightMath
import FoundationEssentials
import GRDB
import Gateway
import ReceiverProtocol

// The winds of flights and forecasts.

extension FlightStore {
    /// The most rows. The oldest are deleted. A start reads all of them.
    private static let mostWinds = 200
    /// Winds older than this teach nothing, in milliseconds.
    private static let windsAge: Int64 = 31 * 86_400_000
    /// Forecasts older than this are not needed beside a flight's own winds, in milliseconds. Each day brings many.
    private static let forecastAge: Int64 = 2 * 86_400_000
    /// Winds of one sonde and origin belong to one flight if they are less far apart than this, in milliseconds, and
    /// the flight did not begin between them.
    private static let sameFlight: Int64 = 12 * 3_600_000

    /// Stores winds in place of earlier ones of the same flight.
    static func record(_ winds: StoredWinds, _ database: Database, now: WallTime?) throws {
        guard winds.isPlausible else { return }
        let at = winds.at.millisecondsSince1970
        let since = max(at - sameFlight, winds.begunAt?.millisecondsSince1970 ?? .min)
        try database.execute(
            sql: "DELETE FROM winds WHERE serial = ? AND origin = ? AND at BETWEEN ? AND ?",
            arguments: [winds.serial.canonical, winds.origin.rawValue, since, at + sameFlight])
        try pruneWinds(database, now: now)
        try database.execute(
            sql: """
                INSERT INTO winds (serial, origin, at, latitude, longitude, layers) VALUES (?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                winds.serial.canonical, winds.origin.rawValue, at, winds.place.latitude, winds.place.longitude,
                Data(WindLayers.encoded(winds.layers)),
            ])
    }

    /// Deletes old winds. A clock that is far ahead of all of them may be wrong, so it deletes none.
    private static func pruneWinds(_ database: Database, now: WallTime?) throws {
        try database.execute(
            sql: """
                DELETE FROM winds WHERE id NOT IN (SELECT id FROM winds ORDER BY at DESC LIMIT ?)
                """, arguments: [mostWinds - 1])
        guard let now = now?.millisecondsSince1970,
            let newest = try Int64.fetchOne(database, sql: "SELECT max(at) FROM winds"), now - newest < windsAge
        else { return }
        try database.execute(
            sql: "DELETE FROM winds WHERE at < ? OR origin = ? AND at < ?",
            arguments: [now - windsAge, StoredWinds.Origin.forecast.rawValue, now - forecastAge])
    }

    /// Corrects the times of this run's winds after the clock was set. SondeHub's times were right.
    static func correctWinds(by step: ClockStep, _ database: Database) throws {
        try database.execute(
            sql: "UPDATE winds SET at = at + ? WHERE at >= ? AND origin != ?",
            arguments: [step.milliseconds, step.since.millisecondsSince1970, StoredWinds.Origin.borrowed.rawValue])
    }

    static func winds(_ database: Database, faults: RowFaults) throws -> [StoredWinds] {
        let rows = try Row.fetchAll(
            database,
            sql: "SELECT serial, origin, at, latitude, longitude, layers FROM winds ORDER BY at DESC LIMIT ?",
            arguments: [mostWinds])
        return try rows.compactMap { try faults.read("winds", $0) { try StoredWinds($0) } }
    }
}

/// A layer is four big-endian numbers of 16 bits: the altitude in units of 25 m, the wind towards east and north in
/// cm/s, and the seconds of drift. A flight to 33 km has about 1 kB.
private enum WindLayers {
    private static let metres = 25.0
    /// cm/s in a m/s.
    private static let speeds = 100.0
    private static let size = 8

    static func encoded(_ layers: [StoredWinds.Layer]) -> [UInt8] {
        layers.flatMap { layer in
            [
                layer.altitudeMetres / metres, layer.east * speeds, layer.north * speeds,
                min(Double(Int16.max), layer.seconds),
            ].flatMap { value -> [UInt8] in
                let number = UInt16(bitPattern: Int16(clamping: Int(clampingFinite: value)))
                return [UInt8(number >> 8), UInt8(number & 0xFF)]
            }
        }
    }

    static func decoded(_ bytes: [UInt8]) throws -> [StoredWinds.Layer] {
        guard bytes.count.isMultiple(of: size) else {
            throw Damage(description: "winds can't have \(bytes.count) bytes")
        }
        let numbers = stride(from: 0, to: bytes.count, by: 2).map { index in
            Double(Int16(bitPattern: UInt16(bytes[index]) << 8 | UInt16(bytes[index + 1])))
        }
        let layers = stride(from: 0, to: numbers.count, by: 4).map { index in
            StoredWinds.Layer(
                altitudeMetres: numbers[index] * metres, east: numbers[index + 1] / speeds,
                north: numbers[index + 2] / speeds, seconds: numbers[index + 3])
        }
        guard zip(layers, layers.dropFirst()).allSatisfy({ $0.altitudeMetres < $1.altitudeMetres }),
            layers.allSatisfy({ $0.seconds > 0 })
        else { throw Damage(description: "winds can't be in this order") }
        return layers
    }
}

extension Int {
    /// The nearest whole number; 0 for NaN.
    fileprivate init(clampingFinite value: Double) {
        self = value.isNaN ? 0 : Int(Swift.max(-1e9, Swift.min(1e9, value.rounded())))
    }
}

extension StoredWinds {
    /// - Parameter row: serial, origin, time, latitude, longitude, layers.
    fileprivate init(_ row: Row) throws {
        let name = try row.text(1, "origin")
        guard let origin = StoredWinds.Origin(rawValue: name) else {
            throw Damage(description: "winds can't be of \(name)")
        }
        self.init(
            origin: origin, serial: try FlightStore.serial(row, 0), place: try row.place(3),
            at: try row.time(2, "time"), layers: try WindLayers.decoded(try row.bytes(5, "winds")))
    }

    fileprivate var isPlausible: Bool {
        place.isPlausible && Plausible.times.contains(at.millisecondsSince1970) && !layers.isEmpty
            && layers.count <= 1000
            && layers.allSatisfy { [$0.altitudeMetres, $0.east, $0.north, $0.seconds].allSatisfy(\.isFinite) }
    }
}
