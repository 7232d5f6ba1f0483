/// Cuts a stream into lines at its line feeds. It buffers at most one line of the allowed length.
///
///     "ab", "c\nde\n\nf"        "abc", "de"; the empty line is skipped, and "f" waits
///     a longer line             skipped and counted
public struct LineSplitter: Sendable {
    private let longest: Int
    private var line: [UInt8] = []
    private var isPassingOver = false
    /// The number of lines that were too long.
    public private(set) var passedOver = 0

    /// - Parameter longest: the longest line without its end, bytes.
    public init(longest: Int) {
        self.longest = longest
    }

    /// - Returns: the lines that are now complete, without their ends.
    public mutating func lines(in bytes: some Sequence<UInt8>) -> [[UInt8]] {
        var lines: [[UInt8]] = []
        for byte in bytes {
            if byte == UInt8(ascii: "\n") {
                if !isPassingOver, !line.isEmpty { lines.append(line) }
                line.removeAll(keepingCapacity: true)
                isPassingOver = false
            } else if !isPassingOver, line.count < longest {
                line.append(byte)
            } else if !isPassingOver {
                isPassingOver = true
                passedOver += 1
                line.removeAll(keepingCapacity: true)
            }
        }
        return lines
    }
}
