/// Cuts a stream into lines at its line feeds, and keeps no more of it than one line may be long.
///
///     "ab", "c\nde\n\nf"        "abc", "de"; the empty line is none, and "f" waits
///     a longer line             is passed over and counted; the next one is a line again
public struct LineSplitter: Sendable {
    private let longest: Int
    private var line: [UInt8] = []
    private var isPassingOver = false
    /// Lines that were longer than is allowed.
    public private(set) var passedOver = 0

    /// - Parameter longest: bytes of a line, without its end.
    public init(longest: Int) {
        self.longest = longest
    }

    /// - Returns: the lines that are whole now, without their ends.
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
