public import ReceiverProtocol

/// What one frame of the receiver, or one record of SondeHub, told of a sonde besides its place.
public struct HeardSample: Equatable, Sendable {
    /// The sonde as seen from the receiver.
    public struct View: Equatable, Sendable {
        /// Degrees clockwise from true north.
        public var azimuthDegrees: Double
        /// Over ground.
        public var distanceMetres: Double

        public init(azimuthDegrees: Double, distanceMetres: Double) {
            self.azimuthDegrees = azimuthDegrees
            self.distanceMetres = distanceMetres
        }

        /// - Parameter place: the receiver's.
        public init(of sonde: Coordinate, from place: Coordinate) {
            let way = Geodesic(from: place, to: sonde)
            self.init(azimuthDegrees: way.bearingDegrees, distanceMetres: way.metres)
        }
    }

    public var time: WallTime
    public var source: TelemetrySource
    public var frequencyMHz: Double?
    public var rssiDBm: Double?
    public var afcHz: Int?
    /// The voltage of the receiver's battery.
    public var receiverMillivolts: Int?
    /// Nil if the receiver's place or the sonde's is unknown.
    public var view: View?
    public var temperatureCelsius, humidityPercent, pressureHectopascal: Double?

    public init(time: WallTime, source: TelemetrySource) {
        self.time = time
        self.source = source
    }
}

extension HeardSample {
    /// - Parameters:
    ///   - frame: of the receiver, a type 1 or 2.
    ///   - place: the receiver's; nil if nobody knows it.
    public init(_ frame: RadioFrame, at time: WallTime, from place: Coordinate?) {
        self.init(time: time, source: .ble)
        (frequencyMHz, rssiDBm, afcHz) = (frame.frequencyMHz, frame.rssiDBm, frame.afcHz)
        receiverMillivolts = frame.batteryMillivolts
        if let place, case .plausible(let position) = frame.position {
            view = View(of: Coordinate(latitude: position.latitude, longitude: position.longitude), from: place)
        }
    }
}

extension HeardSample: HoldsTimes {
    package mutating func replaceTimes(_ replacement: (WallTime) -> WallTime) {
        if source == .ble { time = replacement(time) }
    }
}
