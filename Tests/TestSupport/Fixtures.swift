public import Foundation

/// The repository's files that tests read.
public enum Fixtures {
    /// The root of the checkout.
    public static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    public static func url(_ path: String) -> URL { root.appendingPathComponent(path) }

    /// A file of the repository as text.
    public static func text(_ path: String) throws -> String { try String(contentsOf: url(path), encoding: .utf8) }

    /// Whether the repository's file at `path` has exactly this text. With `SONDYGO_UPDATE_GOLDEN` the text is written
    /// first.
    public static func holds(_ text: String, at path: String) throws -> Bool {
        if ProcessInfo.processInfo.environment["SONDYGO_UPDATE_GOLDEN"] != nil {
            try Data(text.utf8).write(to: url(path))
        }
        return try text == self.text(path)
    }

    /// The names of the golden pairs in Fixtures/frames.
    public static var frameNames: [String] {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: url("Fixtures/frames").path)) ?? []
        return files.filter { $0.hasSuffix(".raw") }.map { String($0.dropLast(4)) }.sorted()
    }

    public static func raw(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: url("Fixtures/frames/\(name).raw")))
    }
}
