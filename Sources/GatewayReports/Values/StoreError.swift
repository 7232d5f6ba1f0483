/// Why the disk did not do what it was asked.
public struct StoreError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Serves as log and metric label.
    public enum Code: String, CaseIterable, Sendable {
        case full
        case readOnly = "read_only"
        case corrupt
        case inputOutput = "input_output"
        /// Another gateway writes it.
        case inUse = "in_use"
    }

    public var code: Code
    public var detail: String

    public init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }

    public var description: String { "\(code.rawValue): \(detail)" }
}
