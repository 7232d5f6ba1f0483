import FlightMath
public import Gateway
public import GatewayReports

/// Requests to route servers, and their answers. Valhalla answers in OSRM's form.
///
/// `{"code":"Ok","routes":[{"distance":m,"duration":s,"geometry":…}],"waypoints":[{…},{"distance":m,…}]}`; the geometry
/// is a GeoJSON LineString or, from older servers, an encoded polyline.
public enum RouteFormat {
    /// How far from the car or the landing point the server may search for a road, metres.
    private static let searchMetres = 5000
    /// The units of an encoded polyline in a degree.
    private static func precision(_ engine: RouteEngine) -> Double {
        switch engine {
        case .osrm: 1e5
        case .valhalla: 1e6
        }
    }

    /// - Returns: the path and query to append to the server's address; nil if a coordinate is out of range.
    public static func path(of query: RouteQuery, for engine: RouteEngine) -> String? {
        guard [query.start, query.end].allSatisfy({ abs($0.latitude) <= 90 && abs($0.longitude) <= 180 }) else {
            return nil
        }
        switch engine {
        case .osrm:
            let profile = query.mode == .car ? "driving" : "cycling"
            let places = [query.start, query.end].map { "\(micro($0.longitude)),\(micro($0.latitude))" }
            return "/route/v1/\(profile)/\(places.joined(separator: ";"))?overview=full&geometries=geojson&steps=false"
                + "&radiuses=\(searchMetres);\(searchMetres)"
        case .valhalla:
            let costing = query.mode == .car ? "auto" : "bicycle"
            let places = [query.start, query.end].map {
                "{\"lat\":\(micro($0.latitude)),\"lon\":\(micro($0.longitude)),\"search_cutoff\":\(searchMetres)}"
            }
            let json =
                "{\"locations\":[\(places.joined(separator: ","))],\"costing\":\"\(costing)\",\"format\":\"osrm\","
                + "\"shape_format\":\"geojson\",\"directions_type\":\"none\"}"
            return "/route?json=" + PercentText.escaped(json)
        }
    }

    /// - Parameter answer: the body of an answer with status 200 or 400. Servers report "no road" with status 400.
    /// - Throws: `malformed` if a value is missing or no number; `refused` if the answer is an error or no JSON.
    public static func decode(
        _ answer: [UInt8], to query: RouteQuery, from engine: RouteEngine
    ) throws(OnlineServiceError) -> RouteAnswer {
        let text = answer.span
        var cursor = try JSONCursor(in: answer, behind: UInt8(ascii: "{"), "JSON")
        var reply = RouteReply(precision: precision(engine))
        while let key = try cursor.nextKey(text) { try reply.read(text, key: key, &cursor) }
        if let noRoad = reply.noRoad { return .noRoad(noRoad) }
        guard reply.isOk else {
            throw OnlineServiceError(.refused, "the route server says: \(ErrorObject(answer)?.text ?? "an error")")
        }
        return .road(try reply.route(to: query))
    }

    /// Degrees with six decimals, which are a tenth of a metre. A server may not read the form 1e-05.
    private static func micro(_ degrees: Double) -> String {
        let value = Int((degrees * 1e6).rounded())
        let digits = String(value.magnitude % 1_000_000)
        return (value < 0 ? "-" : "") + "\(value.magnitude / 1_000_000)."
            + String(repeating: "0", count: 6 - digits.utf8.count) + digits
    }
}
