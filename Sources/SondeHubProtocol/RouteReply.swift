import FlightMath
import Gateway
import GatewayReports
import ReceiverProtocol

/// A route server's answer. Its members may come in any order.
struct RouteReply {
    /// The units of an encoded polyline in a degree.
    let precision: Double
    /// Whether the server's code is "Ok".
    private(set) var isOk = false
    private(set) var noRoad: NoRoad?
    private var distance, duration: Double?
    private var points: [Coordinate] = []
    private var endGap: Double?

    /// The longest believable distance from the car, or from the landing point, to the route's end, metres.
    private static let furthest = 50_000.0

    init(precision: Double) {
        self.precision = precision
    }

    /// - Throws: `malformed` if a part is missing, or if the route does not belong to the query.
    func route(to query: RouteQuery) throws(OnlineServiceError) -> RoadRoute {
        guard let distance, let duration, distance >= 0, duration >= 0, distance < 1e8, duration < 1e8 else {
            throw .malformed("the route has no distance or duration")
        }
        guard let line = RouteLine(points), let start = points.first, let end = points.last else {
            throw .malformed("the route's line is missing or not of this Earth")
        }
        guard start.distanceMetres(to: query.start) < Self.furthest, end.distanceMetres(to: query.end) < Self.furthest
        else { throw .malformed("the route is not of the trip that was asked for") }
        let gap = endGap.flatMap { 0..<Self.furthest ~= $0 ? $0 : nil } ?? end.distanceMetres(to: query.end)
        return RoadRoute(
            distanceMetres: distance, duration: .seconds(clamping: duration), line: line, endGapMetres: gap)
    }

    mutating func read(_ text: Span<UInt8>, key: Range<Int>, _ cursor: inout JSONCursor) throws(OnlineServiceError) {
        if JSONCursor.isEqual(text, key, to: "code") {
            guard let word = try cursor.word(text) else { return }
            isOk = JSONCursor.isEqual(text, word, to: "Ok")
            if JSONCursor.isEqual(text, word, to: "NoRoute") { noRoad = .noRoute }
            if JSONCursor.isEqual(text, word, to: "NoSegment") { noRoad = .noSegment }
        } else if JSONCursor.isEqual(text, key, to: "error_code") {
            // Valhalla's own error codes, from servers that do not answer in OSRM's form.
            guard let word = try cursor.word(text) else { return }
            if JSONCursor.isEqual(text, word, to: "442") { noRoad = .noRoute }
            if JSONCursor.isEqual(text, word, to: "171") { noRoad = .noSegment }
        } else if JSONCursor.isEqual(text, key, to: "routes") {
            guard try cursor.enter(UInt8(ascii: "["), text) else { return }
            var isFirst = true
            while try cursor.nextElement(text) {
                if isFirst { try readRoute(text, &cursor) } else { try cursor.pass(text) }
                isFirst = false
            }
        } else if JSONCursor.isEqual(text, key, to: "waypoints") {
            try readWaypoints(text, &cursor)
        } else {
            try cursor.pass(text)
        }
    }

    private mutating func readRoute(_ text: Span<UInt8>, _ cursor: inout JSONCursor) throws(OnlineServiceError) {
        guard try cursor.enter(UInt8(ascii: "{"), text) else { return }
        while let key = try cursor.nextKey(text) {
            if JSONCursor.isEqual(text, key, to: "distance") {
                distance = try cursor.number(text)
            } else if JSONCursor.isEqual(text, key, to: "duration") {
                duration = try cursor.number(text)
            } else if JSONCursor.isEqual(text, key, to: "geometry") {
                try readGeometry(text, &cursor)
            } else {
                try cursor.pass(text)
            }
        }
    }

    /// Keeps the last waypoint's distance to its road.
    private mutating func readWaypoints(_ text: Span<UInt8>, _ cursor: inout JSONCursor) throws(OnlineServiceError) {
        guard try cursor.enter(UInt8(ascii: "["), text) else { return }
        while try cursor.nextElement(text) {
            guard try cursor.enter(UInt8(ascii: "{"), text) else { continue }
            endGap = nil
            while let key = try cursor.nextKey(text) {
                if JSONCursor.isEqual(text, key, to: "distance") {
                    endGap = try cursor.number(text)
                } else {
                    try cursor.pass(text)
                }
            }
        }
    }

    private mutating func readGeometry(_ text: Span<UInt8>, _ cursor: inout JSONCursor) throws(OnlineServiceError) {
        points = []
        guard cursor.position < text.count, text[cursor.position] == UInt8(ascii: "{") else {
            guard let word = try cursor.word(text) else { return }
            points = try Polyline.decode(JSONCursor.unescaped(text, word), unitsPerDegree: precision)
            return
        }
        cursor.position += 1
        while let key = try cursor.nextKey(text) {
            guard JSONCursor.isEqual(text, key, to: "coordinates") else {
                try cursor.pass(text)
                continue
            }
            guard try cursor.enter(UInt8(ascii: "["), text) else { continue }
            while try cursor.nextElement(text) { try readPoint(text, &cursor) }
        }
    }

    /// Reads `[longitude, latitude]`; further elements are ignored.
    private mutating func readPoint(_ text: Span<UInt8>, _ cursor: inout JSONCursor) throws(OnlineServiceError) {
        guard points.count < RouteLine.longest else { throw Self.tooLong }
        guard try cursor.enter(UInt8(ascii: "["), text), try cursor.nextElement(text),
            let longitude = try cursor.number(text), try cursor.nextElement(text),
            let latitude = try cursor.number(text)
        else { throw .malformed("a point of the route is no pair of numbers") }
        while try cursor.nextElement(text) { try cursor.pass(text) }
        points.append(Coordinate(latitude: latitude, longitude: longitude))
    }

    static let tooLong = OnlineServiceError.malformed("the route has more than \(RouteLine.longest) points")
}
