import ArgumentParser
import GatewayRuntime
import Glibc

/// An error that ends the command: its text and exit code (sysexits.h).
struct CommandFailure: Error {
    enum Kind: Int32 {
        /// The gateway refused the command (`send`).
        case refused = 1
        case usage = 64
        case unavailable = 69
        case configuration = 78
    }

    var kind: Kind
    var message: String

    init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    /// Prints the text on standard error and ends the process.
    func exit() -> Never {
        for line in message.split(separator: "\n") {
            writeLine("sondygo2mqtt: \(String(line).plainLine())", to: STDERR_FILENO)
        }
        Glibc.exit(kind.rawValue)
    }
}

extension String {
    /// A text that the user gave, for a message: on one line, and short enough that the advice behind it is read.
    var given: String { plainLine(limit: 80) }
}

/// Writes a whole line. If standard output does not accept it, the process ends, so that an incomplete answer does not
/// look complete.
func writeLine(_ text: String, to descriptor: Int32 = STDOUT_FILENO) {
    do throws(CommandFailure) {
        try writeWhole(Array(text.utf8) + [UInt8(ascii: "\n")], to: descriptor)
    } catch {
        // If standard error fails, there is no place left for a message.
        if descriptor == STDOUT_FILENO { error.exit() }
    }
}

/// - Throws: kind `unavailable` if the descriptor accepts no more.
func writeWhole(_ bytes: [UInt8], to descriptor: Int32) throws(CommandFailure) {
    var rest = bytes[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        if count < 0 {
            if errno == EINTR { continue }
            throw CommandFailure(.unavailable, "can't write: \(String(cString: strerror(errno)))")
        }
        rest = rest.dropFirst(count)
    }
}
