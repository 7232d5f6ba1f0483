import ArgumentParser
import GatewayRuntime
import Glibc

/// A command's end with an error: what to say and the exit code (sysexits.h).
struct CommandFailure: Error {
    enum Kind: Int32 {
        /// The answer was no (`send`).
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

    /// Says it on standard error and ends the process.
    func exit() -> Never {
        for line in message.split(separator: "\n") {
            writeLine("sondygo2mqtt: \(String(line).plainLine())", to: STDERR_FILENO)
        }
        Glibc.exit(kind.rawValue)
    }
}

/// One whole line. What standard output doesn't take ends the process: half an answer must not pass for a whole one.
func writeLine(_ text: String, to descriptor: Int32 = STDOUT_FILENO) {
    do throws(CommandFailure) {
        try writeWhole(Array(text.utf8) + [UInt8(ascii: "\n")], to: descriptor)
    } catch {
        // Where standard error takes nothing nobody is left to be told.
        if descriptor == STDOUT_FILENO { error.exit() }
    }
}

/// - Throws: kind `unavailable` when the descriptor takes no more.
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
