package import FlightMath

/// Makes tracks for tests: pieces of climb, fall and rest in a steady wind.
package struct FlightPath {
    package static let start: Int64 = 1_767_268_800

    package var points: [TrackPoint] = []
    /// The seconds since ``start``.
    package private(set) var second: Int64 = 0
    package var altitude: Double
    package var place: Coordinate
    package var source = TelemetrySource.sondehub
    /// The seconds between two points.
    package var spacing: Int64

    package init(altitude: Double = 500, latitude: Double = 47, longitude: Double = 8, spacing: Int64 = 1) {
        self.altitude = altitude
        place = Coordinate(latitude: latitude, longitude: longitude)
        self.spacing = spacing
    }

    package static func time(_ second: Int64) -> WallTime { WallTime(millisecondsSince1970: (start + second) * 1000) }

    package var now: WallTime { Self.time(second) }

    /// Moves for `seconds` with these speeds, m/s.
    package mutating func go(
        _ seconds: Int64, up: Double = 0, east: Double = 0, north: Double = 0, isHeard: Bool = true
    ) {
        let end = second + seconds
        while second < end {
            if isHeard { points.append(newest) }
            second += spacing
            altitude += up * Double(spacing)
            place = place.moved(east: east * Double(spacing), north: north * Double(spacing))
        }
    }

    /// Falls under a parachute to `ground`. `rate` is the fall rate near the ground and `east` the speed over ground,
    /// m/s.
    package mutating func fall(to ground: Double, rate: Double, east: Double = 0, isHeard: Bool = true) {
        while altitude > ground {
            let speed = rate / Atmosphere.densityRoot(at: altitude)
            go(spacing, up: -speed, east: east, isHeard: isHeard)
        }
        altitude = ground
    }

    /// One point with a wrong altitude or place.
    package mutating func glitch(altitude: Double? = nil, place: Coordinate? = nil) {
        var point = newest
        point.altitudeMetres = altitude ?? self.altitude
        point.coordinate = place ?? self.place
        points.append(point)
        second += spacing
    }

    package var newest: TrackPoint {
        TrackPoint(time: now, coordinate: place, altitudeMetres: altitude, source: source)
    }
}

extension Flight {
    /// Inserts points one by one.
    package mutating func add(_ points: [TrackPoint]) -> [Change] {
        var changes: [Change] = []
        for point in points { changes += insert(point).changes }
        return changes
    }
}

extension Flight.Change {
    /// A short name, so that a test can compare a list of changes.
    package var name: String {
        switch self {
        case .burst: "burst"
        case .burstRevoked: "revoked"
        case .landed: "landed"
        case .heardOnGround: "lies"
        case .landingRevoked: "not landed"
        case .landedInSilence: "silent"
        case .heardAgain: "heard"
        case .moved: "moved"
        case .newFlight: "new"
        case .trackTruncated(let cut): "cut \(cut.count) \(cut.reason.rawValue)"
        }
    }
}
