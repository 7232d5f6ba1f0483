import FoundationEssentials

/// What lies in the maps folder: what can be shown, and what can't, with why.
public struct MapShelf: Sendable {
    /// Maps that are open at a time.
    static let mostMaps = 8

    var maps: [any TileMap] = []
    /// The file's name, and a sentence's end: `is a vector map; …`.
    public private(set) var faults: [(name: String, text: String)] = []
    public var names: [String] { maps.map(\.facts.name) }

    /// Looks through the folder.
    /// - Parameter known: those that are open already; the same file is not opened anew.
    init(folder: String, known: [any TileMap]) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        for file in names.sorted() where !file.hasPrefix(".") {
            guard let attributes = try? FileManager.default.attributesOfItem(atPath: "\(folder)/\(file)"),
                let date = attributes[.modificationDate] as? Date
            else { continue }
            let time = Int64(exactly: (date.timeIntervalSince1970 * 1000).rounded()) ?? 0
            let tag = "\(String(attributes[.size] as? UInt64 ?? 0, radix: 36))-\(String(time, radix: 36))"
            take(file, in: folder, tag: tag, known: known)
        }
    }

    /// For `doctor`.
    public init(folder: String) {
        self.init(folder: folder, known: [])
    }

    private mutating func take(_ file: String, in folder: String, tag: String, known: [any TileMap]) {
        let isDatabase = file.hasSuffix(".mbtiles")
        let name = isDatabase ? String(file.dropLast(8)) : file
        guard Self.isServable(name) else {
            faults.append((file, "has a name that can't be part of an address; use letters, digits, - and _"))
            return
        }
        guard maps.count < Self.mostMaps else {
            faults.append((file, "is one too many; \(Self.mostMaps) maps are shown"))
            return
        }
        if let open = known.first(where: { $0.facts.name == name && $0.tag == tag }) {
            maps.append(open)
        } else if isDatabase {
            do throws(MapFault) {
                maps.append(try MBTilesMap(path: "\(folder)/\(file)", name: name, tag: tag))
            } catch {
                faults.append((file, error.text))
            }
        } else if let tiles = TileFolder(path: "\(folder)/\(file)", name: name, tag: tag) {
            maps.append(tiles)
        } else {
            faults.append((file, "is neither an .mbtiles file nor a folder of tiles"))
        }
    }

    private static func isServable(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= 64
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}
