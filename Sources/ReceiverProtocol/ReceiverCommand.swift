/// The commands that the gateway sends to the receiver. The initialisers check the values, so each command is safe to
/// send.
public enum ReceiverCommand: Equatable, Sendable {
    case tune(Tuning)
    case mute(Bool)
    /// `o{?}o`: the receiver answers with a type 3.
    case requestConfiguration
    case settings([SettingChange])

    /// The protocol's limit of keys in one write.
    public static let maximumKeysPerWrite = 4

    /// The texts to write, in order. Each has at most `maximumLength` bytes, unless a single key is longer.
    ///
    /// - Parameter maximumLength: the longest write that the link carries, bytes (ATT MTU - 3, or the transport's own
    ///   limit).
    public func writes(maximumLength: Int) -> [[UInt8]] {
        switch self {
        case .tune(let tuning):
            let frequency = "f=" + tuning.frequencyText
            let type = "tipo=\(tuning.tuneCode)"
            return Self.pack([frequency, type], maximumLength)
        case .mute(let isMuted): return [Self.wrap(isMuted ? "mute=1" : "mute=0")]
        case .requestConfiguration: return [Self.wrap("?")]
        case .settings(let changes):
            return Self.pack(changes.map { "\($0.setting.key)=\($0.value)" }, maximumLength)
        }
    }

    private static func pack(_ pairs: [String], _ maximumLength: Int) -> [[UInt8]] {
        var groups: [[String]] = []
        var length = 0
        for pair in pairs {
            let grown = length + 1 + pair.utf8.count
            if groups.isEmpty || groups[groups.count - 1].count == maximumKeysPerWrite || grown > maximumLength {
                groups.append([pair])
                length = "o{}o".utf8.count + pair.utf8.count
            } else {
                groups[groups.count - 1].append(pair)
                length = grown
            }
        }
        return groups.map { wrap($0.joined(separator: "/")) }
    }

    private static func wrap(_ text: String) -> [UInt8] { Array("o{\(text)}o".utf8) }
}

/// A frequency with a sonde type, checked for a tune command.
public struct Tuning: Equatable, Sendable {
    /// Whole kilohertz, because the receiver reads three decimals of a megahertz, and because integers compare exactly.
    public let frequencyKHz: Int
    public let sondeType: SondeType
    let tuneCode: Int

    /// - Returns: nil for a type without a `tipo` number, or for a frequency outside 0 to 10 GHz.
    public init?(frequencyMHz: Double, sondeType: SondeType) {
        guard let kilohertz = Self.kilohertz(frequencyMHz), let code = sondeType.tuneCode else { return nil }
        frequencyKHz = kilohertz
        self.sondeType = sondeType
        tuneCode = code
    }

    public var frequencyMHz: Double { Double(frequencyKHz) / 1000 }

    /// The nearest whole kilohertz; nil outside 0 to 10 GHz and for NaN.
    public static func kilohertz(_ megahertz: Double) -> Int? {
        guard megahertz.isFinite, 0...10_000 ~= megahertz else { return nil }
        return Int((megahertz * 1000).rounded())
    }

    /// Two decimals, or three if the third is not zero: `403.50`, `404.123`.
    var frequencyText: String {
        let thousandths = String(frequencyKHz % 1000)
        let padded = String(repeating: "0", count: 3 - thousandths.count) + thousandths
        return "\(frequencyKHz / 1000)." + (padded.hasSuffix("0") ? String(padded.dropLast()) : padded)
    }
}

/// One setting with its new value.
public struct SettingChange: Equatable, Sendable {
    public let setting: ReceiverSetting
    public let value: ReceiverSettingValue

    /// - Returns: nil when the receiver doesn't accept the value.
    public init?(_ setting: ReceiverSetting, _ value: ReceiverSettingValue) {
        guard setting.accepts(value) else { return nil }
        self.setting = setting
        self.value = value
    }
}
