import Foundation

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
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        process.arguments = [
            Fixtures.url("Tests/TestSupport/validate.py").path, Fixtures.url("Fixtures/schemas").path, file.path,
        ]
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let text = String(decoding: output, as: UTF8.self)
        let found = text.split(separator: "\n").map { String($0) }
        // The last line counts the checked messages. So a validator that did nothing is noticed.
        guard process.terminationStatus == 0, found.last == "checked \(messages.count)" else {
            return found + ["validator failed"]
        }
        return Array(found.dropLast())
    }
}
