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
        var input = bytes
        let room = Int(deflateBound(&stream, UInt(bytes.count)))
        var isWhole = false
        let output = [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
            input.withUnsafeMutableBufferPointer { input in
                stream.next_in = input.baseAddress
                stream.avail_in = UInt32(clamping: input.count)
                stream.next_out = buffer.baseAddress
                stream.avail_out = UInt32(clamping: buffer.count)
                isWhole = deflate(&stream, Z_FINISH) == Z_STREAM_END
                count = buffer.count - Int(stream.avail_out)
            }
        }
        return isWhole ? output : nil
    }

    /// - Returns: nil for a damaged file, and for one that would be longer than `limit` bytes.
    static func expanded(_ bytes: [UInt8], limit: Int) -> [UInt8]? {
        var stream = z_stream()
        guard inflateInit2_(&stream, windowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            return nil
        }
        defer { inflateEnd(&stream) }
        var input = bytes
        var isWhole = false
        let output = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            input.withUnsafeMutableBufferPointer { input in
                stream.next_in = input.baseAddress
                stream.avail_in = UInt32(clamping: input.count)
                stream.next_out = buffer.baseAddress
                stream.avail_out = UInt32(clamping: buffer.count)
                isWhole = inflate(&stream, Z_FINISH) == Z_STREAM_END
                count = buffer.count - Int(stream.avail_out)
            }
        }
        return isWhole ? output : nil
    }
}
