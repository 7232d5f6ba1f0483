import Glibc

/// Why a height file is not used.
struct TerrainProblem: Error {
    var text: String
}

/// One `.hgt` file: the heights of one degree, 1201² or 3601² big-endian numbers of 16 bits, row by row from north to
/// south, each from west to east. Neighbouring files share their edge.
final class HeightTile {
    static let suffix = ".hgt"
    private static let sizes = [1201, 3601]

    /// The south-western corner, degrees.
    let south, west: Int
    /// The steps between two degrees.
    let perDegree: Int
    private let name: String
    private let descriptor: Int32

    /// - Parameter west: degrees in any turn around the Earth; 181 means -179.
    /// - Returns: nil if there is no such file.
    init?(in folder: String, south: Int, west: Int) throws(TerrainProblem) {
        (self.south, self.west) = (south, west)
        name = Self.name(south: south, west: west)
        // Without O_NONBLOCK, opening a FIFO waits for a writer.
        descriptor = open("\(folder)/\(name)", O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw TerrainProblem(text: "\(name): \(String(cString: strerror(errno)))")
        }
        var status = stat()
        let isFile = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        guard isFile, let size = Self.sizes.first(where: { 2 * $0 * $0 == status.st_size }) else {
            close(descriptor)
            throw TerrainProblem(
                text: isFile
                    ? "\(name) has \(status.st_size) bytes; a height file has 2884802 or 25934402"
                    : "\(name) is not a file")
        }
        perDegree = size - 1
    }

    deinit { close(descriptor) }

    /// Part of a row, counted from north.
    func heights(row: Int, columns: ClosedRange<Int>) throws(TerrainProblem) -> [Int16] {
        var bytes = [UInt8](repeating: 0, count: columns.count * 2)
        let place = (row * (perDegree + 1) + columns.lowerBound) * 2
        let count = pread(descriptor, &bytes, bytes.count, off_t(place))
        guard count == bytes.count else { throw TerrainProblem(text: "\(name) ends too early") }
        return stride(from: 0, to: bytes.count, by: 2).map { index in
            Int16(bitPattern: UInt16(bytes[index]) << 8 | UInt16(bytes[index + 1]))
        }
    }

    /// `N47E008.hgt`, `S01W001.hgt`.
    static func name(south: Int, west: Int) -> String {
        let turned = ((west + 180) % 360 + 360) % 360 - 180
        return (south < 0 ? "S" : "N") + padded(abs(south), 2) + (turned < 0 ? "W" : "E") + padded(abs(turned), 3)
            + suffix
    }

    /// The corner in the name of a height file; nil for any other name.
    static func corner(of name: String) -> (south: Int, west: Int)? {
        let letters = Array(name.utf8)
        guard letters.count == 11, let latitude = Int(name.dropFirst().prefix(2)),
            let longitude = Int(name.dropFirst(4).prefix(3))
        else { return nil }
        let corner = (
            south: letters[0] == UInt8(ascii: "S") ? -latitude : latitude,
            west: letters[3] == UInt8(ascii: "W") ? -longitude : longitude
        )
        return self.name(south: corner.south, west: corner.west) == name ? corner : nil
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
