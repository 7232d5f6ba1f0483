import RealModule
public import ReceiverProtocol

/// The winds that another flight met, or those along a forecast server's path. They show the winds above a flight.
public struct StoredWinds: Equatable, Sendable {
    public enum Origin: String, CaseIterable, Sendable {
        /// Along Tawhiri's path.
        case forecast
        /// Of a flight that this gateway followed.
        case flight
        /// Of a flight whose track SondeHub gave.
        case borrowed
    }

    /// The mean wind of a layer of 250 m.
    public struct Layer: Equatable, Sendable {
        /// The layer's centre, metres above sea level.
        public var altitudeMetres: Double
        /// m/s towards east and north.
        public var east, north: Double
        /// How long the sonde drifted in the layer.
        public var seconds: Double

        public init(altitudeMetres: Double, east: Double, north: Double, seconds: Double) {
            self.altitudeMetres = altitudeMetres
            self.east = east
            self.north = north
            self.seconds = seconds
        }
    }

    public var origin: Origin
    /// The sonde; for a forecast the one that it was made for.
    public var serial: SondeSerial
    /// Where that flight was launched or first heard, or the forecast's path begins.
    public var place: Coordinate
    /// When the flight was last heard, or the forecast was made.
    public var at: WallTime
    /// When the flight was first heard. Older winds of the same sonde are of an earlier flight. Nil if that is unknown.
    public var begunAt: WallTime?
    /// From the lowest to the highest.
    public var layers: [Layer]

    public init(origin: Origin, serial: SondeSerial, place: Coordinate, at: WallTime, layers: [Layer]) {
        self.origin = origin
        self.serial = serial
        self.place = place
        self.at = at
        self.layers = layers
    }

    /// The winds along a forecast's path; nil if its points are too far apart to give any.
    /// - Parameters:
    ///   - path: by time.
    ///   - burstAt: the end of its ascent.
    ///   - now: when the forecast was made.
    public init?(forecast path: [TrackPoint], burstAt: WallTime?, of serial: SondeSerial, at now: WallTime) {
        var profile = WindProfile()
        for (start, end) in zip(path, path.dropFirst()) {
            profile.add(from: start, to: end, isAscent: burstAt.map { end.time <= $0 } ?? false)
        }
        let layers = profile.winds.stored
        guard let first = path.first, !layers.isEmpty else { return nil }
        self.init(origin: .forecast, serial: serial, place: first.coordinate, at: now, layers: layers)
    }

    /// The centre of the highest layer, metres above sea level.
    public var topMetres: Double { layers.last?.altitudeMetres ?? -.infinity }

    /// Whether the winds are of the same half day, and so as good as new.
    public func isFresh(at time: WallTime) -> Bool { abs(time.seconds(since: at)) <= Self.freshSeconds }

    /// The same winds, with those of `older` above them. A forecast that is made in the fall knows only the winds below
    /// the sonde, and starts far from the launch.
    public func continued(above older: StoredWinds) -> StoredWinds {
        var winds = self
        winds.layers += older.layers.filter { $0.altitudeMetres > topMetres }
        winds.place = older.place
        return winds
    }

    /// How far to trust these winds at a time, 0.25 ... 1: fully for half a day, then less and less.
    public func weight(at time: WallTime) -> Double {
        guard !isFresh(at: time) else { return 1 }
        return max(Self.leastWeight, Double.exp(-abs(time.seconds(since: at)) / Self.fadingSeconds))
    }

    /// Winds of the same half day are as good as new, seconds.
    public static let freshSeconds = 43_200.0
    private static let fadingSeconds = 864_000.0
    private static let leastWeight = 0.25
}

extension StoredWinds: HoldsTimes {
    package mutating func replaceTimes(_ replacement: (WallTime) -> WallTime) {
        guard origin != .borrowed else { return }
        (at, begunAt) = (replacement(at), begunAt.map(replacement))
    }
}
