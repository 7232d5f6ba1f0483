/// Width and height in the head of a PNG, JPEG or WebP picture, pixels.
struct PictureSize: Equatable {
    /// The longest side of a tile. A browser needs 4 bytes for each pixel, however short the file is.
    static let longestSide = 1024

    let width, height: Int

    var isTile: Bool { [width, height].allSatisfy { 1...Self.longestSide ~= $0 } }

    /// - Returns: nil if the picture does not say its size.
    init?(_ bytes: [UInt8]) {
        let found: (Int, Int)? =
            switch TileFormat(bytes) {
            case .png: Self.ofPNG(bytes)
            case .jpeg: Self.ofJPEG(bytes)
            case .webP: Self.ofWebP(bytes)
            case nil: nil
            }
        guard let (width, height) = found else { return nil }
        (self.width, self.height) = (width, height)
    }

    private static func ofPNG(_ bytes: [UInt8]) -> (Int, Int)? {
        guard bytes.count >= 24, bytes[12..<16].elementsEqual("IHDR".utf8) else { return nil }
        return (number(bytes[16..<20]), number(bytes[20..<24]))
    }

    /// Goes from marker to marker until it finds the frame's.
    private static func ofJPEG(_ bytes: [UInt8]) -> (Int, Int)? {
        var index = 2
        while index + 9 <= bytes.count {
            guard bytes[index] == 0xff else { return nil }
            let marker = bytes[index + 1]
            if marker == 0xff {
                index += 1
                continue
            }
            if 0xc0...0xcf ~= marker, ![0xc4, 0xc8, 0xcc].contains(marker) {
                return (number(bytes[(index + 7)..<(index + 9)]), number(bytes[(index + 5)..<(index + 7)]))
            }
            index += 2 + max(2, number(bytes[(index + 2)..<(index + 4)]))
        }
        return nil
    }

    private static func ofWebP(_ bytes: [UInt8]) -> (Int, Int)? {
        guard bytes.count >= 30 else { return nil }
        let kind = String(decoding: bytes[12..<16], as: UTF8.self)
        // These numbers have their lowest byte first.
        switch kind {
        case "VP8 ":
            return (number(bytes[26..<28].reversed()) & 0x3fff, number(bytes[28..<30].reversed()) & 0x3fff)
        case "VP8L":
            let bits = number(bytes[21..<25].reversed())
            return (1 + bits & 0x3fff, 1 + (bits >> 14) & 0x3fff)
        case "VP8X": return (1 + number(bytes[24..<27].reversed()), 1 + number(bytes[27..<30].reversed()))
        default: return nil
        }
    }

    private static func number(_ bytes: some Sequence<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }
}
