public import FlightMath
import Glibc
import Threads

/// The towns and villages in the boxes of the page's base map. `deploy/page/base/make.py` tells their format.
public struct TownFiles: Sendable {
    /// Degrees of a box's side.
    private static let side = 5.0
    /// The steps in a degree.
    private static let steps = 1250.0
    private static let metresOfDegree = 111_195.0
    /// A longer file is not read, packed and unpacked.
    private static let longest = (packed: 1_000_000, plain: 4_000_000)
    /// The most towns of an answer.
    static let most = 1500

    private let folder: String

    /// - Parameter pageDirectory: the folder of the page's files.
    public init(pageDirectory: String) {
        folder = pageDirectory + "/base/boxes"
    }

    /// The towns within a square around a place; empty without the files. Reads files.
    /// - Parameter metres: from the middle to each edge.
    public func towns(around place: Coordinate, metres: Double) -> [NamedPlace] {
        LoopThread.assertMayBlock()
        guard place.isOnEarth else { return [] }
        let height = metres / Self.metresOfDegree
        let width = min(Self.side, height / max(0.05, cos(place.latitude * .pi / 180)))
        let (south, north) = (Self.index(place.latitude - height), Self.index(place.latitude + height))
        let (west, east) = (Self.index(place.longitude - width), Self.index(place.longitude + width))
        var found: [NamedPlace] = []
        for row in south...north {
            for column in west...east {
                let corner = (west: Double(column) * Self.side, south: Double(row) * Self.side)
                found += box(west: Self.wrapped(corner.west), south: corner.south).filter { town in
                    let across = (town.coordinate.longitude - place.longitude).remainder(dividingBy: 360)
                    return abs(town.coordinate.latitude - place.latitude) <= height && abs(across) <= width
                }
            }
        }
        return Array(found.sorted { $0.people > $1.people }.prefix(Self.most))
    }

    private static func index(_ degrees: Double) -> Int { Int((degrees / side).rounded(.down)) }

    private static func wrapped(_ longitude: Double) -> Double {
        longitude < -180 ? longitude + 360 : longitude >= 180 ? longitude - 360 : longitude
    }

    private func box(west: Double, south: Double) -> [NamedPlace] {
        let name = Self.name(west: Int(west), south: Int(south))
        guard let packed = FileStatus.content(ofFile: "\(folder)/\(name).bin.gz", limit: Self.longest.packed),
            let bytes = Gzip.expanded(packed, limit: Self.longest.plain)
        else { return [] }
        var reader = NumberReader(bytes)
        var towns: [NamedPlace] = []
        for _ in 0..<(reader.number() ?? 0) {
            guard let length = reader.number(), let name = reader.text(length), let east = reader.number(),
                let north = reader.number(), let hundreds = reader.number(), hundreds < 1_000_000
            else { return towns }
            let place = Coordinate(
                latitude: south + Double(north) / Self.steps, longitude: west + Double(east) / Self.steps)
            towns.append(NamedPlace(name: name, coordinate: place, people: hundreds * 100))
        }
        return towns
    }

    /// `N45E005`
    static func name(west: Int, south: Int) -> String {
        let padded = { (number: Int, length: Int) in
            let digits = String(abs(number))
            return String(repeating: "0", count: max(0, length - digits.count)) + digits
        }
        return "\(south < 0 ? "S" : "N")\(padded(south, 2))\(west < 0 ? "W" : "E")\(padded(west, 3))"
    }
}

/// Reads numbers of 7 bits a byte, the lowest first, and texts.
private struct NumberReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    /// Nil at the end, and for a number of more than four bytes.
    mutating func number() -> Int? {
        var value = 0
        for shift in stride(from: 0, through: 21, by: 7) {
            guard let byte = rest.popFirst() else { return nil }
            value |= Int(byte & 127) << shift
            if byte < 128 { return value }
        }
        return nil
    }

    mutating func text(_ length: Int) -> String? {
        guard length <= rest.count else { return nil }
        defer { rest = rest.dropFirst(length) }
        return String(decoding: rest.prefix(length), as: UTF8.self)
    }
}
