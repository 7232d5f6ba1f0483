/// One decoded and checked frame of the receiver.
public enum Frame: Equatable, Sendable {
    /// Types 0, 1 and 2: the reception.
    case radio(RadioFrame)
    /// Type 3: the receiver's settings. It is rare and large; `indirect` keeps the other cases small.
    indirect case configuration(ReceiverConfiguration)
    /// Type 4: a raw packet of newer firmware. The gateway counts it and does not use it.
    case rawPacket

    public var kind: FrameKind {
        switch self {
        case .radio(let frame): frame.kind
        case .configuration: .configuration
        case .rawPacket: .rawPacket
        }
    }

    /// The firmware's version, if the frame names it.
    public var firmware: String? {
        switch self {
        case .radio(let frame): frame.firmware
        case .configuration(let configuration): configuration.firmware
        // Its layout is not published.
        case .rawPacket: nil
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

/// The radio values of a type 0, 1 or 2, and the sonde's position of a type 1.
public struct RadioFrame: Equatable, Sendable {
    public var kind: FrameKind
    public var sondeType: SondeType
    /// MHz; nil if the radio chip can't receive it.
    public var frequencyMHz: Double?
    /// The sonde's name as printed; nil in a type 0 and for `No data`, an empty name or one starting with `?`.
    public var name: String?
    /// dBm, negative; nil if implausible.
    public var rssiDBm: Double?
    /// Nil without a battery, or if the field is out of range.
    public var battery: BatteryReading?
    /// Millivolts; nil when implausible.
    public var batteryMillivolts: Int?
    /// Hz, signed; nil in a type 0, or if implausible.
    public var afcHz: Int?
    /// Nil in a type 0 or 2.
    public var burstKiller: BurstKiller?
    /// Whether the buzzer is muted; nil if the receiver has no buzzer.
    public var isMuted: Bool?
    /// The firmware's version; nil if the field is empty, longer than 16 bytes or not ``PlainText``.
    public var firmware: String?
    /// Nil in a type 0 or 2.
    public var position: PositionReading?
}

extension RadioFrame {
    /// A frame in which only these two values are known.
    public init(kind: FrameKind, sondeType: SondeType) {
        self.init(
            kind: kind, sondeType: sondeType, frequencyMHz: nil, name: nil, rssiDBm: nil, battery: nil,
            batteryMillivolts: nil, afcHz: nil, burstKiller: nil, isMuted: nil, firmware: nil, position: nil)
    }
}

extension RadioFrame {
    /// 0 to 100; nil if unknown.
    public var batteryPercent: Int? { battery?.percent }
}

/// The charge of the receiver's battery.
public struct BatteryReading: Equatable, Sendable {
    /// 0 to 100.
    public var percent: Int
    /// The receiver sent more than 100.
    public var isClamped = false

    public init(percent: Int, isClamped: Bool = false) {
        self.percent = percent
        self.isClamped = isClamped
    }
}

/// The sonde's own timer that ends its transmission.
public struct BurstKiller: Equatable, Sendable {
    public var isActive: Bool
    /// Seconds left; nil while the timer idles.
    public var secondsLeft: Int?

    /// What is reported while the timer does not run, seconds: its length, or all bits set.
    private static let idle: Set = [30_600, 65_535]

    public init(isActive: Bool, secondsLeft: Int? = nil) {
        self.isActive = isActive
        self.secondsLeft = secondsLeft
    }

    /// The seconds that are left by a reported number; nil if the timer does not run, or the number is impossible.
    public static func secondsLeft(reported: Int) -> Int? {
        (1...86_400).contains(reported) && !idle.contains(reported) ? reported : nil
    }
}

/// The position of a type 1, or why it is impossible.
public enum PositionReading: Equatable, Sendable {
    case plausible(Position)
    case implausible(PositionFault)
}

/// The sonde's position and motion, in SI units.
public struct Position: Equatable, Sendable {
    /// Degrees, WGS84.
    public var latitude: Double
    /// Degrees, WGS84.
    public var longitude: Double
    /// Metres above mean sea level.
    public var altitudeMetres: Double
    /// m/s over ground; nil if unreadable.
    public var horizontalSpeed: Double?
    /// m/s, positive up; nil if unreadable, and from firmware 2, which doesn't send it.
    public var verticalSpeed: Double?
}

/// Why a position is impossible. The radio values of the same frame stay valid.
public enum PositionFault: String, CaseIterable, Sendable {
    /// Latitude, longitude or altitude is no number: the sonde has no GPS fix yet.
    case unreadable = "position_unreadable"
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
    /// The chip's text at a start (``BootText``), perhaps behind the beginning of a frame: the receiver has restarted.
    case bootText = "boot_text"
    /// A frame started, but its end never came.
    case unfinished
    /// 512 bytes without an end (``Deframer/maximumRun``).
    case overlong
    /// The number of `/`-separated tokens fits no layout of the frame's type.
    case tokenCount = "token_count"
    /// Bytes outside printable ASCII.
    case notPrintable = "not_printable"
    /// The frequency or the RSSI is not a plain finite decimal.
    case number
    /// The sonde's type is empty, or has characters that no type has.
    case sondeType = "sonde_type"
    /// The type digit is not 0 to 4.
    case unknownType = "unknown_type"
}
