import Glibc
import NIOCore
import NIOPosix
import Threads

/// Sends a large file to a client, with one piece in memory at a time.
struct FilePieces: Sendable {
    private static let length = 32_768

    let path: String
    /// Reads the file, so that the event loop does not wait for the disk.
    let pool: NIOThreadPool

    func send(_ write: @Sendable (ByteBuffer) async throws -> Void) async throws {
        LoopThread.assertMayBlock()
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw IOError(errnoCode: errno, reason: "open") }
        defer { close(descriptor) }
        var offset = 0
        while true {
            let start = offset
            let piece = try await pool.runIfActive { try Self.piece(of: descriptor, from: start) }
            guard piece.readableBytes > 0 else { return }
            try await write(piece)
            offset += piece.readableBytes
        }
    }

    /// The piece at `offset`; empty at the end of the file.
    private static func piece(of descriptor: Int32, from offset: Int) throws -> ByteBuffer {
        var buffer = ByteBuffer()
        try buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: length) { room in
            let count = pread(descriptor, room.baseAddress, min(length, room.count), off_t(offset))
            guard count >= 0 else { throw IOError(errnoCode: errno, reason: "pread") }
            return count
        }
        return buffer
    }
}
