/// The value of one receiver setting.
public enum ReceiverSettingValue: Hashable, Sendable, CustomStringConvertible {
    case integer(Int)
    case text(String)

    public var description: String {
        switch self {
        case .integer(let number): String(number)
        case .text(let text): text
        }
    }
}
