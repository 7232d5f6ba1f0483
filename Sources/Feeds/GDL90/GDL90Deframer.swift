/// Cuts a stream into the messages of GDL 90, and removes their framing. It keeps at most one frame of the allowed length.
///
///     flag, message, checksum, flag     the message
///     the same with a wrong checksum    nil
///     a longer frame                    nil, once for each allowed length
///     two flags                         nothing: one ends a frame, one begins the next
struct GDL90Deframer: Sendable {
    /// The longest frame without its flags, bytes. An uplink message has 438, and may need twice as many.
    static let longest = 1024

    private var frame: [UInt8] = []
    /// The bytes belong to a frame whose beginning was seen.
    private var hasBegun = false

    /// - Returns: the messages that are now complete; nil for each broken one.
    mutating func messages(in bytes: [UInt8]) -> [[UInt8]?] {
        var messages: [[UInt8]?] = []
        for byte in bytes {
            if byte == GDL90Frame.flag {
                if hasBegun, !frame.isEmpty { messages.append(GDL90Frame.message(in: frame)) }
                frame.removeAll(keepingCapacity: true)
                hasBegun = true
            } else if frame.count < Self.longest {
                frame.append(byte)
            } else {
                messages.append(nil)
                frame.removeAll(keepingCapacity: true)
                hasBegun = false
            }
        }
        return messages
    }
}
