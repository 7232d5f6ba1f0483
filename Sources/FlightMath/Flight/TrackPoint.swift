/// Where the sonde was at one instant.
public struct TrackPoint: Equatable, Sendable {
    public var time: WallTime
    public var coordinate: Coordinate
    /// Metres above mean sea level.
    public var altitudeMetres: Double
    public var source: TelemetrySource

    public init(time: WallTime, coordinate: Coordinate, altitudeMetres: Double, source: TelemetrySource) {
        self.time = time
        self.coordinate = coordinate
        self.altitudeMetres = altitudeMetres
        self.source = source
    }

    /// The whole second of the point. A track has one point for each second.
    public var second: Int64 { time.wholeSeconds }

    /// Above this altitude a point is no launch, metres.
    static let highestLaunchMetres = 2500.0

    /// Whether the point is low enough for a launch.
    public var mayBeLaunch: Bool { altitudeMetres <= Self.highestLaunchMetres }
}

extension TrackPoint: HoldsTimes {
    package mutating func replaceTimes(_ replacement: (WallTime) -> WallTime) {
        if source == .ble { time = replacement(time) }
    }
}
