import CZlib
import GatewayCore

/// Unfolds a gzip or zlib stream piece by piece, so that memory follows neither its size nor what it unfolds to.
final class Inflater {
    private static let pieceSize = 32_768
    /// The largest window, and the format told by its header.
    private static let windowBits: Int32 = 15 + 32

    // zlib holds a pointer to it, so it may not move.
    private let stream: UnsafeMutablePointer<z_stream>
    private var input: [UInt8] = []
    private var used = 0
    private var hasMore = false
    /// The stream has come to its own end.
    private(set) var isEnded = false

    /// - Returns: nil without memory.
    init?() {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let size = Int32(MemoryLayout<z_stream>.size)
        // What was allocated is given back by `deinit`, also now.
        guard inflateInit2_(stream, Self.windowBits, ZLIB_VERSION, size) == Z_OK else { return nil }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Takes the next bytes; what they unfold to comes from ``next()``, which must have given nil before.
    func feed(_ bytes: [UInt8]) {
        input = bytes
        used = 0
        hasMore = !bytes.isEmpty
    }

    /// - Returns: the next piece, never empty; nil when more bytes are needed.
    /// - Throws: `malformed` when it is no such stream.
    func next() throws(OnlineServiceError) -> [UInt8]? {
        while hasMore {
            if isEnded {
                // Another member follows.
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
        // More may wait inside even when all bytes are taken, if the piece is full.
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
