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

/// One whole line to a descriptor.
func writeLine(_ text: String, to descriptor: Int32 = STDOUT_FILENO) {
    let bytes = Array(text.utf8) + [UInt8(ascii: "\n")]
    bytes.withUnsafeBytes { _ = write(descriptor, $0.baseAddress, $0.count) }
}
