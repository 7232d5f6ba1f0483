/// The kind of radiosonde, from the receiver's TYPE field.
///
/// An unknown word is kept: with a new sonde type the gateway must still show that the receiver hears a sonde.
public enum SondeType: Hashable, Sendable {
    case rs41, m20, m10, pilot, dfm, rd41, c50, imet4
    case other(String)

    /// Reads a TYPE field. Some firmwares print `PIL` for `PILOT`.
    public init(name: String) {
        switch name {
        case "RS41": self = .rs41
        case "M20": self = .m20
        case "M10": self = .m10
        case "PILOT", "PIL": self = .pilot
        case "DFM": self = .dfm
        case "RD41": self = .rd41
        case "C50": self = .c50
        case "IMET4": self = .imet4
        default: self = .other(name)
        }
    }

    public var name: String {
        switch self {
        case .rs41: "RS41"
        case .m20: "M20"
        case .m10: "M10"
        case .pilot: "PILOT"
        case .dfm: "DFM"
        case .rd41: "RD41"
        case .c50: "C50"
        case .imet4: "IMET4"
        case .other(let name): name
        }
    }

    /// The `tipo` number that tunes the receiver to this type; nil if the receiver has no number for it.
    public var tuneCode: Int? {
        switch self {
        case .rs41: 1
        case .m20: 2
        case .m10: 3
        case .pilot: 4
        case .dfm: 5
        case .rd41: 6
        case .c50, .imet4, .other: nil
        }
    }

    /// Whether one sonde may be reported with both types: two decoders accept the same signal, or two programs name one
    /// type differently. An unknown type, `.other("")`, is like every type.
    public func isAlike(_ other: SondeType) -> Bool {
        self == .other("") || other == .other("") || family == other.family
    }

    private var family: String {
        switch self {
        case .rs41, .rd41: "RS41"
        case .m10, .m20: "M"
        case .pilot: "PILOT"
        case .dfm: "DFM"
        case .c50: "C50"
        case .imet4: "IMET"
        case .other(let name): Self.families.first { name.uppercased().hasPrefix($0.prefix) }?.family ?? name
        }
    }

    /// Other programs' names for the same types.
    private static let families = [
        ("RS41", "RS41"), ("RD41", "RS41"), ("M10", "M"), ("M20", "M"), ("MXX", "M"), ("PS15", "PILOT"),
        ("PS-15", "PILOT"), ("PILOT", "PILOT"), ("DFM", "DFM"), ("C50", "C50"), ("SRS-C50", "C50"), ("IMET", "IMET"),
    ].map { (prefix: $0.0, family: $0.1) }

    /// The types that a tune command may name, in the order of their `tipo` numbers.
    public static let tunable: [SondeType] = [.rs41, .m20, .m10, .pilot, .dfm, .rd41]
}
