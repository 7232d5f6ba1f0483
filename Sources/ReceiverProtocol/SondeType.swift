/// The kind of radiosonde, from the receiver's TYPE field. ``rows`` has what the gateway knows of each.
///
/// An unknown word is kept: with a new sonde type the gateway must still show that the receiver hears a sonde.
public enum SondeType: Hashable, Sendable {
    case rs41, m20, m10, pilot, dfm, rd41, c50, imet4
    case other(String)

    /// Reads a TYPE field. Some firmwares print `PIL` for `PILOT`.
    public init(name: String) { self = Self.named(name) ?? .other(name) }

    public var name: String {
        if case .other(let name) = self { return name }
        return row?.words.first ?? ""
    }

    /// The `tipo` number that tunes the receiver to this type; nil if the receiver has no number for it.
    public var tuneCode: Int? { row?.tuneCode }

    /// Whether one sonde may be reported with both types: two decoders accept the same signal, or two programs name one
    /// type differently. An unknown type, `.other("")`, is like every type.
    public func isAlike(_ other: SondeType) -> Bool {
        self == .other("") || other == .other("") || family == other.family
    }

    private var family: String {
        guard case .other(let name) = self else { return row?.family ?? "" }
        let upper = name.uppercased()
        return Self.rows.first { $0.otherNames.contains { upper.hasPrefix($0) } }?.family ?? name
    }

    /// The types that a tune command may name, in the order of their `tipo` numbers.
    public static let tunable = rows.filter { $0.tuneCode != nil }.map(\.type)
}
