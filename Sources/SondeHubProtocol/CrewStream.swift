public import FlightMath
public import GatewayReports
import ReceiverProtocol

/// Decodes `/listeners/telemetry` while it arrives: `{callsign: {time: record}}`, all stations and cars of the world.
///
/// Only cars (`"mobile": true`) near one of the places are kept, with their newest position.
public struct CrewStream: Sendable {
    /// The farthest crew, metres.
    private static let radiusMetres = 100_000.0
    /// The most crews that are kept while the answer arrives; further ones are dropped.
    private static let most = 500

    private let places: [Coordinate]
    private var splitter = ObjectSplitter(depth: 2)
    private var newest: [String: CrewPosition] = [:]
    private var hasBegun = false

    public init(near places: [Coordinate]) {
        self.places = places
    }

    /// - Throws: `refused` for text instead of JSON.
    public mutating func append(_ bytes: [UInt8]) throws(OnlineServiceError) {
        if !hasBegun, let first = bytes.first(where: { $0 > 0x20 }) {
            hasBegun = true
            guard first == UInt8(ascii: "{") else {
                throw OnlineServiceError(.refused, "no JSON but: \(PrintableText.of(bytes))")
            }
        }
        var found: [CrewPosition] = []
        splitter.append(bytes) { record, time in
            if let crew = CrewFields.crew(record, time: time) { found.append(crew) }
        }
        for crew in found where isNear(crew.coordinate) {
            guard newest.count < Self.most || newest[crew.callSign] != nil else { continue }
            if newest[crew.callSign].map({ $0.time < crew.time }) ?? true { newest[crew.callSign] = crew }
        }
    }

    private func isNear(_ place: Coordinate) -> Bool {
        places.contains { $0.distanceMetres(to: place) <= Self.radiusMetres }
    }

    /// - Returns: the crews, nearest to the first place first, at most ``CrewsReport/limit``.
    /// - Throws: `malformed` if the answer was cut short.
    public func end() throws(OnlineServiceError) -> [CrewPosition] {
        guard splitter.isEnded else { throw .cutShort }
        guard let first = places.first else { return [] }
        let sorted = newest.values.map { ($0, $0.coordinate.distanceMetres(to: first)) }.sorted { $0.1 < $1.1 }
        return sorted.prefix(CrewsReport.limit).map(\.0)
    }
}

/// The members of one record that the gateway uses.
private enum CrewFields {
    /// The longest call sign that is accepted, bytes.
    private static let longestName = 32

    /// - Parameter time: the record's key, if it has no time of its own.
    /// - Returns: nil if the record is no car, or has no usable position or time.
    static func crew(_ record: [UInt8], time key: String) -> CrewPosition? {
        let text = record.span
        var cursor = JSONCursor()
        var (name, place, time, isMobile) = (nil as String?, nil as Coordinate?, nil as WallTime?, false)
        do throws(OnlineServiceError) {
            guard try cursor.enter(UInt8(ascii: "{"), text) else { return nil }
            while let member = try cursor.nextKey(text) {
                if JSONCursor.isEqual(text, member, to: "uploader_callsign") {
                    name = try cursor.word(text).flatMap { JSONCursor.decoded(text, $0) }
                } else if JSONCursor.isEqual(text, member, to: "uploader_position") {
                    place = try position(text, &cursor)
                } else if JSONCursor.isEqual(text, member, to: "ts") {
                    time = try cursor.word(text).flatMap { JSONCursor.decoded(text, $0) }.flatMap(instant)
                } else if JSONCursor.isEqual(text, member, to: "mobile") {
                    isMobile = try cursor.word(text).map { JSONCursor.isEqual(text, $0, to: "true") } ?? false
                } else {
                    try cursor.pass(text)
                }
            }
        } catch {
            return nil
        }
        guard isMobile, let name, let place, let time = time ?? instant(key),
            (1...longestName).contains(name.utf8.count),
            PlainText.isPlain(name)
        else { return nil }
        return CrewPosition(callSign: name, coordinate: place, time: time)
    }

    /// Reads `"46.8,6.9"` or `[46.8, 6.9, 490]`.
    private static func position(
        _ text: Span<UInt8>, _ cursor: inout JSONCursor
    ) throws(OnlineServiceError) -> Coordinate? {
        var numbers: [Double?] = []
        if text[cursor.position] == UInt8(ascii: "[") {
            cursor.position += 1
            while try cursor.nextElement(text) { numbers.append(try cursor.number(text)) }
        } else if let words = try cursor.word(text).flatMap({ JSONCursor.decoded(text, $0) }) {
            numbers = words.split(separator: ",").map { Double($0.filter { $0 != " " }) }
        }
        guard numbers.count >= 2, let latitude = numbers[0], let longitude = numbers[1], abs(latitude) <= 90,
            abs(longitude) <= 180, latitude != 0 || longitude != 0
        else { return nil }
        return Coordinate(latitude: latitude, longitude: longitude)
    }

    /// SondeHub's time, with or without its zone.
    private static func instant(_ text: String) -> WallTime? {
        let hasZone = text.hasSuffix("Z") || text.hasSuffix("+00:00")
        return SondeHubTime.parse(Array((hasZone ? text : text + "Z").utf8).span)
    }
}
