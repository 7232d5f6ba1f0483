import Foundation
import Threads

/// Checks messages against Fixtures/schemas with Debian's python3-jsonschema.
public enum Schemas {
    /// - Parameter messages: topics without the gateway's prefix, with their payloads.
    /// - Returns: one line for each message that violates its schema or has no schema.
    public static func violations(_ messages: [(topic: String, payload: String)]) throws -> [String] {
        let file = try temporaryDirectory().appendingPathComponent("messages.jsonl")
        let lines = try messages.map { message in
            try JSONSerialization.data(withJSONObject: ["topic": message.topic, "payload": message.payload])
        }
        try Data(lines.joined(separator: Data("\n".utf8))).write(to: file)
        let arguments = [
            Fixtures.url("Tests/TestSupport/validate.py").path, Fixtures.url("Fixtures/schemas").path, file.path,
        ]
        let pipe = Pipe()
        let ours = pipe.fileHandleForWriting
        let process = try ChildProcess(
            "/usr/bin/python3", arguments, output: ours.fileDescriptor, errors: ours.fileDescriptor)
        try ours.close()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        let text = String(decoding: output, as: UTF8.self)
        let found = text.split(separator: "\n").map { String($0) }
        // The last line counts the checked messages. So a validator that did nothing is noticed.
        guard process.wait() == 0, found.last == "checked \(messages.count)" else {
            return found + ["validator failed"]
        }
        return Array(found.dropLast())
    }
}
