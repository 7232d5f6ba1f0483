public import Foundation

/// A disk of a few megabytes, mounted on a folder as long as this object lives. Needs root.
public final class SmallDisk {
    public let folder: URL
    private let filler: URL
    private var handle: FileHandle?

    public init(megabytes: Int) async throws {
        folder = try temporaryDirectory()
        filler = folder.appendingPathComponent("filler")
        try await mount("size=\(megabytes)m")
    }

    deinit { umount2(folder.path, Int32(MNT_DETACH)) }

    /// Fills the disk. Call it again to fill the space that has become free.
    public func fill() throws {
        if handle == nil {
            // A child that inherited the file would hold its space after its removal.
            let descriptor = open(filler.path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown) }
            handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        }
        for size in [4096, 512] {
            while (try? handle?.write(contentsOf: Data(repeating: 0, count: size))) != nil {}
        }
    }

    public func free() throws {
        // A child that another test is just starting has the file until its exec, so the removal frees nothing yet.
        try handle?.truncate(atOffset: 0)
        try handle?.close()
        handle = nil
        try FileManager.default.removeItem(at: filler)
    }

    public func makeReadOnly() async throws { try await mount("remount,ro") }

    public func makeWritable() async throws { try await mount("remount,rw") }

    private func mount(_ options: String) async throws {
        let child = try Child("mount", ["-t", "tmpfs", "-o", options, "store", folder.path])
        guard try await child.exitCode() == 0 else { throw CocoaError(.fileWriteUnknown) }
    }
}
