/// Decodes the bytes of one source of the car's position: bytes in, messages out. Pieces of any length give the same
/// messages. What it keeps of unfinished messages is bounded.
public protocol CarStream: Sendable {
    /// The bytes to send when the connection opens; empty for a source that sends unasked.
    static var greeting: [UInt8] { get }
    mutating func messages(in bytes: [UInt8]) -> [CarMessage]
}

extension CarStream {
    public static var greeting: [UInt8] { [] }
}
