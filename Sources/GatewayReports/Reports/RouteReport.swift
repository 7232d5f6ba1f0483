public import FlightMath

/// The route by road, to be drawn on a map.
public struct RouteReport: Equatable, Sendable {
    public var trip: Trip
    public var line: RouteLine

    public init(trip: Trip, line: RouteLine) {
        self.trip = trip
        self.line = line
    }

    /// A GeoJSON feature.
    var payload: [UInt8] {
        var json = JSONText()
        json.field("type", "Feature")
        json.field("geometry") { geometry in
            geometry.field("type", "LineString")
            // A LineString needs two points (RFC 7946, 3.1.4), even if the car has already arrived.
            let points = line.points.count == 1 ? line.points + line.points : line.points
            geometry.array("coordinates", points[...]) { inner, point in
                inner.values { values in
                    values.value(point.longitude, decimals: 6)
                    values.value(point.latitude, decimals: 6)
                }
            }
        }
        json.field("properties") { trip.fields(&$0) }
        return json.object
    }
}
