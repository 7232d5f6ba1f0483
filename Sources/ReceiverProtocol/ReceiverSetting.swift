/// A key of the receiver's settings command `o{key=value}o`.
///
/// Its row in ``all`` defines it completely. The checks of commands, the layout of a type 3, the report `settings`, the
/// page's form, the table in `deploy/doc/commands.md`, the report's schema and the simulated receiver use this row.
public struct ReceiverSetting: Hashable, Sendable {
    /// How the report shows the value.
    public enum Form: Sendable {
        case number
        /// 0 or 1, shown as false or true.
        case flag
        /// An index into ``bandwidthsKHz``. The report adds the bandwidth in kHz.
        case bandwidth
        /// Up to 8 letters, digits, dashes and slashes.
        case callsign
    }

    /// The values that can cut off the gateway or brick the board.
    enum Danger {
        case none, always
        case value(Int)
    }

    /// The key in the command.
    public let key: String
    /// The key in the report `settings`.
    public let field: String
    public let meaning: String
    public let form: Form
    /// The whole numbers that the receiver accepts; nil for the callsign.
    public let range: ClosedRange<Int>?
    /// The whole numbers that the parser accepts in a frame.
    let plausible: ClosedRange<Int>
    /// Whether the receiver restarts after a change.
    public let restarts: Bool
    private let danger: Danger
    /// Whether only the USB form of a type 3 has it.
    let isUSBOnly: Bool
    /// The value on a new board: a TTGO LoRa32 with an SSD1306 display.
    public let delivered: ReceiverSettingValue

    init(
        _ key: String, field: String, meaning: String, form: Form = .number, range: ClosedRange<Int>?,
        plausible: ClosedRange<Int>? = nil, restarts: Bool = false, danger: Danger = .none, isUSBOnly: Bool = false,
        delivered: ReceiverSettingValue
    ) {
        self.key = key
        self.field = field
        self.meaning = meaning
        self.form = form
        self.range = range
        self.plausible = plausible ?? range ?? 0...0
        self.restarts = restarts
        self.danger = danger
        self.isUSBOnly = isUSBOnly
        self.delivered = delivered
    }

    /// - Returns: nil for an unknown key.
    public init?(key: String) {
        guard let setting = Self.all.first(where: { $0.key == key }) else { return nil }
        self = setting
    }

    public static func == (left: ReceiverSetting, right: ReceiverSetting) -> Bool { left.key == right.key }
    public func hash(into hasher: inout Hasher) { hasher.combine(key) }

    /// Whether setting `value` can cut off the gateway or brick the board.
    public func isDangerous(_ value: ReceiverSettingValue) -> Bool {
        switch danger {
        case .none: false
        case .always: true
        case .value(let number): value == .integer(number)
        }
    }

    /// The accepted values in words, for an error message.
    public var accepted: String {
        guard let range else { return "0 to 8 of A-Z 0-9 - and /" }
        return "a whole number from \(range.lowerBound) to \(range.upperBound)"
    }

    /// Whether the gateway may send `value`. It never sends another one.
    public func accepts(_ value: ReceiverSettingValue) -> Bool {
        switch value {
        case .integer(let number): range?.contains(number) ?? false
        case .text(let text): range == nil && text.utf8.count <= 8 && text.utf8.allSatisfy(Self.isCallsignByte)
        }
    }

    private static func isCallsignByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
            UInt8(ascii: "/"):
            true
        default: false
        }
    }

    /// The receiver's bandwidths in kHz. The index is the number in the frame and in the `*.rxbw` settings.
    public static let bandwidthsKHz: [Double] = [
        2.6, 3.1, 3.9, 5.2, 6.3, 7.8, 10.4, 12.5, 15.6, 20.8,
        25.0, 31.3, 41.7, 50.0, 62.5, 83.3, 100.0, 125.0, 166.7, 200.0,
    ]
}
