import CZlib

enum Gzip {
    /// The largest window, plus 16 for the format gzip instead of zlib.
    private static let windowBits: Int32 = 15 + 16

    /// - Returns: nil if there is not enough memory.
    static func compressed(_ bytes: [UInt8]) -> [UInt8]? {
        var stream = z_stream()
        let size = Int32(MemoryLayout<z_stream>.size)
        guard deflateInit2_(&stream, 9, Z_DEFLATED, windowBits, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size) == Z_OK
        else {
            return nil
        }
        defer { deflateEnd(&stream) }
        let room = Int(deflateBound(&stream, UInt(bytes.count)))
        return whole(bytes, through: &stream, room: room) { deflate(&$0, Z_FINISH) }
    }

    /// - Returns: nil for a damaged file, and for one that would be longer than `limit` bytes.
    static func expanded(_ bytes: [UInt8], limit: Int) -> [UInt8]? {
        var stream = z_stream()
        guard inflateInit2_(&stream, windowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            return nil
        }
        defer { inflateEnd(&stream) }
        return whole(bytes, through: &stream, room: limit) { inflate(&$0, Z_FINISH) }
    }

    /// - Parameters:
    ///   - room: the most bytes of the result.
    ///   - work: zlib's step to the end.
    /// - Returns: nil if the end was not reached.
    private static func whole(
        _ bytes: [UInt8], through stream: inout z_stream, room: Int, _ work: (inout z_stream) -> Int32
    ) -> [UInt8]? {
        var input = bytes
        var isWhole = false
        let output = [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
            input.withUnsafeMutableBufferPointer { input in
                stream.next_in = input.baseAddress
                stream.avail_in = UInt32(clamping: input.count)
                stream.next_out = buffer.baseAddress
                stream.avail_out = UInt32(clamping: buffer.count)
                isWhole = work(&stream) == Z_STREAM_END
                count = buffer.count - Int(stream.avail_out)
            }
        }
        return isWhole ? output : nil
    }
}
