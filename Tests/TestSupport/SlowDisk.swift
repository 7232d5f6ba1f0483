public import Foundation

/// A folder to which a program writes slowly, see `slowdisk.c`.
public struct SlowDisk {
    public let folder: URL
    private let library: String

    public init() async throws {
        // The kernel's name of the folder.
        folder = try temporaryDirectory().resolvingSymlinksInPath()
        library = try temporaryDirectory().path + "/slowdisk.so"
        let source = Fixtures.url("Tests/TestSupport/slowdisk.c").path
        let compiler = try Child("cc", ["-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"])
        guard try await compiler.exitCode() == 0 else { throw CocoaError(.fileWriteUnknown) }
    }

    /// Variables for a program whose writes are to take this long.
    public func environment(milliseconds: Int) -> [String: String] {
        ["LD_PRELOAD": library, "SLOW_PATH": folder.path, "SLOW_MS": "\(milliseconds)"]
    }
}
