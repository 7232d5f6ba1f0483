import FoundationEssentials
import Glibc
import Threads

/// The maps in the maps folder, and the files that can't be shown, with the reasons.
public struct MapShelf: Sendable {
    /// The most maps that are open at a time.
    static let mostMaps = 8
    /// The time limit for a look through the folder. Several slow files may each take up to their own limit.
    private static let lookTimeLimit = Duration.seconds(20)

    private(set) var maps: [any TileMap] = []
    /// The file's name, and the rest of a sentence: `is a vector map; …`.
    public private(set) var faults: [(name: String, text: String)] = []
    public var names: [String] { maps.map(\.facts.name) }
    /// The drawings that are shown above the maps: KML and GeoJSON files.
    private(set) var drawings: [Drawing] = []
    /// The tags of slow files by name. They are not opened again until the tag changes.
    private var slowFiles: [String: String] = [:]

    init() {}

    /// Looks through the folder. Call it on the maps' thread.
    /// - Parameters:
    ///   - online: the tile servers, whose files have other readers.
    ///   - earlier: the last result; unchanged files are not opened again.
    init(folder: String, except online: [OnlineMapOptions] = [], after earlier: MapShelf = MapShelf()) {
        LoopThread.assertMayBlock()
        let fetched = online.map(\.fileName)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        for file in names.sorted()
        where !file.hasPrefix(".") && !Self.isJournal(file) && !fetched.contains(file) {
            examine(file, in: folder, after: earlier)
        }
        for map in maps { if let remark = map.remark { faults.append((map.file, remark)) } }
    }

    /// Looks through the folder for `doctor`; nil if that takes too long. Blocks the caller.
    public static func look(in folder: String, except online: [OnlineMapOptions]) -> MapShelf? {
        let thread = MapThread(timeLimit: lookTimeLimit)
        thread.start()
        defer { thread.stop() }
        return thread.runAndWait { MapShelf(folder: folder, except: online) }
    }

    /// Removes a map that failed when a tile was read.
    mutating func remove(_ map: any TileMap, for fault: MapFault) {
        maps.removeAll { $0.file == map.file }
        found(fault, in: map.file, tag: map.tag)
    }

    private mutating func found(_ fault: MapFault, in file: String, tag: String) {
        faults.append((file, fault.text))
        if fault == .isSlow { slowFiles[file] = tag }
    }

    private mutating func examine(_ file: String, in folder: String, after earlier: MapShelf) {
        if let drawing = Drawing(file: file) { return examine(drawing, in: folder) }
        let isDatabase = file.hasSuffix(".mbtiles")
        let name = isDatabase ? String(file.dropLast(8)) : file
        guard Self.isServable(name) else {
            faults.append((file, "has a name of more than 100 bytes, or one that holds a control character"))
            return
        }
        guard maps.count < Self.mostMaps else {
            faults.append((file, "is one too many; \(Self.mostMaps) maps are shown"))
            return
        }
        guard let status = FileStatus(path: "\(folder)/\(file)") else {
            faults.append((file, "can't be looked at: \(String(cString: strerror(errno)))"))
            return
        }
        let tag = status.tag
        if let open = earlier.maps.first(where: { $0.file == file && $0.tag == tag }) {
            maps.append(open)
        } else if earlier.slowFiles[file] == tag {
            found(.isSlow, in: file, tag: tag)
        } else if isDatabase {
            // SQLite would open a pipe and wait for its writer.
            guard status.kind == .file else {
                faults.append((file, "is no plain file"))
                return
            }
            do throws(MapFault) {
                maps.append(try MBTilesMap(file: file, in: folder, name: name, tag: tag))
                if let journal = FileStatus(path: "\(folder)/\(file)-wal"), journal.size > 0 {
                    let advice = "close the program that writes it"
                    faults.append((file, "is shown without the tiles in \(file)-wal; \(advice)"))
                }
            } catch {
                found(error, in: file, tag: tag)
            }
        } else if status.kind == .folder, let tiles = TileFolder(name: file, in: folder, tag: tag) {
            maps.append(tiles)
        } else {
            faults.append((file, "is neither an .mbtiles file nor a folder of tiles"))
        }
    }

    private mutating func examine(_ drawing: Drawing, in folder: String) {
        guard Self.isServable(drawing.file), let status = FileStatus(path: "\(folder)/\(drawing.file)"),
            status.kind == .file
        else {
            faults.append((drawing.file, "is no plain file, or has an odd name"))
            return
        }
        guard status.size <= Int64(Drawing.longest) else {
            faults.append((drawing.file, "has more than \(Drawing.longest / 1_000_000) MB; simplify it"))
            return
        }
        guard drawings.count < Drawing.most else {
            faults.append((drawing.file, "is one too many; \(Drawing.most) drawings are shown"))
            return
        }
        drawings.append(drawing)
    }

    /// Whether it is SQLite's journal of a map that another program writes.
    private static func isJournal(_ file: String) -> Bool {
        ["-wal", "-shm", "-journal"].contains { file.hasSuffix(".mbtiles" + $0) }
    }

    private static func isServable(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= 100
            && name.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control && $0 != "\u{FFFD}" }
    }
}
