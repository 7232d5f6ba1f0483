import CZlib
import GatewayReports

/// Decompresses a gzip or zlib stream piece by piece, so the memory that it needs does not depend on the size.
final class Inflater {
    private static let pieceSize = 32_768
    /// The largest window (15), and 32 to detect gzip or zlib by the header.
    private static let windowBits: Int32 = 15 + 32

    // zlib keeps a pointer to the stream, so it must not move.
    private let stream: UnsafeMutablePointer<z_stream>
    private var input: [UInt8] = []
    private var used = 0
    private var hasMore = false
    /// Whether the stream has reached its own end.
    private(set) var isEnded = false

    /// - Returns: nil if memory is short.
    init?() {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let size = Int32(MemoryLayout<z_stream>.size)
        // `deinit` frees the memory also after this return.
        guard inflateInit2_(stream, Self.windowBits, ZLIB_VERSION, size) == Z_OK else { return nil }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Adds the next bytes; ``next()`` returns the decompressed ones. Before this call ``next()`` must have returned
    /// nil.
    func feed(_ bytes: [UInt8]) {
        input = bytes
        used = 0
        hasMore = !bytes.isEmpty
    }

    /// - Returns: the next piece, never empty; nil if more bytes are needed.
    /// - Throws: `malformed` if the bytes are not gzip or zlib.
    func next() throws(OnlineServiceError) -> [UInt8]? {
        while hasMore {
            if isEnded {
                // A gzip stream may have several members.
                guard inflateReset(stream) == Z_OK else { throw Self.broken }
                isEnded = false
            }
            let piece = try inflatePiece()
            if !piece.isEmpty { return piece }
        }
        return nil
    }

    private func inflatePiece() throws(OnlineServiceError) -> [UInt8] {
        var result = Z_OK
        let piece = [UInt8](unsafeUninitializedCapacity: Self.pieceSize) { room, count in
            input.withUnsafeMutableBufferPointer { bytes in
                stream.pointee.next_in = bytes.baseAddress.map { $0 + used }
                stream.pointee.avail_in = UInt32(clamping: bytes.count - used)
                stream.pointee.next_out = room.baseAddress
                stream.pointee.avail_out = UInt32(clamping: room.count)
                result = inflate(stream, Z_NO_FLUSH)
                used = bytes.count - Int(stream.pointee.avail_in)
                count = room.count - Int(stream.pointee.avail_out)
            }
        }
        // A full piece may mean that zlib holds more output, even if it has read all input.
        hasMore = used < input.count || piece.count == Self.pieceSize
        switch result {
        case Z_OK: break
        case Z_STREAM_END:
            isEnded = true
            hasMore = used < input.count
        case Z_BUF_ERROR: hasMore = false
        default: throw Self.broken
        }
        return piece
    }

    private static let broken = OnlineServiceError(.malformed, "the compressed answer is damaged")
}
