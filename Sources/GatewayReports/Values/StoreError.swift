/// Why an operation of the store failed.
public struct StoreError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Used as a label in logs and metrics.
    public enum Code: String, CaseIterable, Sendable {
        case full
        case readOnly = "read_only"
        case corrupt
        case inputOutput = "input_output"
        /// Another gateway uses the store.
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
