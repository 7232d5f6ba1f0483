/// One frame of the receiver, read and checked.
public enum Frame: Equatable, Sendable {
    /// Types 0, 1 and 2: what the receiver hears.
    case radio(RadioFrame)
    /// Type 3: how the receiver is set up. Rare and large, so kept out of the way of the others.
    indirect case configuration(ReceiverConfiguration)
    /// Type 4, a raw packet of newer firmware: known, counted, not used.
    case rawPacket

    public var kind: FrameKind {
        switch self {
        case .radio(let frame): frame.kind
        case .configuration: .configuration
        case .rawPacket: .rawPacket
        }
    }
}

/// The frame's type digit.
public enum FrameKind: UInt8, CaseIterable, Sendable {
    case noSonde = 0
    case telemetry = 1
    case nameOnly = 2
    case configuration = 3
    case rawPacket = 4
}

/// What a type 0, 1 or 2 says of the radio, and for a type 1 of the sonde's position.
public struct RadioFrame: Equatable, Sendable {
    public var kind: FrameKind
    public var sondeType: SondeType
    /// MHz; nil when outside what the chip can receive.
    public var frequencyMHz: Double?
    /// The sonde's name as printed; nil in a type 0 and for `No data`, an empty name or one starting with `?`.
    public var name: String?
    /// dBm, negative.
    public var rssiDBm: Double?
    /// 0-100; nil without a battery.
    public var batteryPercent: Int?
    /// Millivolts; nil when implausible.
    public var batteryMillivolts: Int?
    /// Hz, signed; nil in a type 0.
    public var afcHz: Int?
    /// Nil in types 0 and 2.
    public var burstKiller: BurstKiller?
    /// Nil when the receiver has no buzzer.
    public var isMuted: Bool?
    public var firmware: String?
    /// Nil in types 0 and 2.
    public var position: PositionReading?
}

extension RadioFrame {
    /// A frame of which nothing is known but these two.
    public init(kind: FrameKind, sondeType: SondeType) {
        self.init(
            kind: kind, sondeType: sondeType, frequencyMHz: nil, name: nil, rssiDBm: nil, batteryPercent: nil,
            batteryMillivolts: nil, afcHz: nil, burstKiller: nil, isMuted: nil, firmware: nil, position: nil)
    }
}

/// The sonde's own timer that ends its transmission.
public struct BurstKiller: Equatable, Sendable {
    public var isActive: Bool
    /// Seconds left; nil while the timer idles.
    public var secondsLeft: Int?

    public init(isActive: Bool, secondsLeft: Int? = nil) {
        self.isActive = isActive
        self.secondsLeft = secondsLeft
    }
}

/// A type 1's position, or why it can't be one.
public enum PositionReading: Equatable, Sendable {
    case plausible(Position)
    case implausible(PositionFault)
}

/// Where the sonde is and how it moves, in SI units.
public struct Position: Equatable, Sendable {
    /// Degrees, WGS84.
    public var latitude: Double
    /// Degrees, WGS84.
    public var longitude: Double
    /// Metres above mean sea level.
    public var altitudeMetres: Double
    /// m/s over ground.
    public var horizontalSpeed: Double
    /// m/s, positive up; firmware 2 doesn't send it.
    public var verticalSpeed: Double?
}

/// Why a position was not taken from a frame; the frame's radio part still counts.
public enum PositionFault: String, CaseIterable, Sendable {
    case latitude = "position_latitude"
    case longitude = "position_longitude"
    case nullIsland = "position_null_island"
    case altitude = "position_altitude"
    case horizontalSpeed = "position_horizontal_speed"
    case verticalSpeed = "position_vertical_speed"
}

/// Why a run of bytes gave no frame. The raw values are published in health and never change.
public enum FrameRejection: String, Error, CaseIterable, Sendable {
    /// No frame starts here.
    case garbage
    /// A frame started and its end never came.
    case unfinished
    /// More than 512 bytes without an end.
    case overlong
    /// The number of `/`-separated tokens fits no layout of the frame's type.
    case tokenCount = "token_count"
    /// Bytes outside printable ASCII.
    case notPrintable = "not_printable"
    /// A number is not a plain finite decimal.
    case number
    /// The type digit is none of 0-4.
    case unknownType = "unknown_type"
}
