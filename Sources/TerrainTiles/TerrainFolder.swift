public import FlightMath
public import Gateway
import Glibc
import Threads

/// The heights of the ground from a folder of `.hgt` files: SRTM's format, one file for each degree.
///
/// The files are read in pieces and not mapped: a mapped file that somebody replaces meanwhile would end the process.
public final class TerrainFolder: TerrainSource {
    /// The reach from the place to the northern and southern edge of a patch.
    private static let reachDegrees = 0.125
    /// The widest reach to the east and west, near the poles.
    private static let widestDegrees = 0.5
    /// The most files that are open at a time.
    private static let mostTiles = 100
    /// Plausible heights, metres. Others count as unknown.
    private static let plausible: ClosedRange<Int16> = -500...9000

    private let path: String
    private let executor: (any TaskExecutor)?

    /// - Parameter executor: runs the reading; nil runs it on the caller's.
    public init(path: String, executor: (any TaskExecutor)? = nil) {
        self.path = path
        self.executor = executor
    }

    public func terrain(around place: Coordinate) async -> TerrainAnswer {
        await withTaskExecutorPreference(executor) { read(around: place) }
    }

    public func heights(along lines: [GroundLine]) async -> TerrainAnswer {
        await withTaskExecutorPreference(executor) { read(along: lines) }
    }

    /// The names of the usable files and a sentence for each refused one, sorted; nil if the folder can't be read.
    public static func survey(_ path: String) -> (usable: [String], problems: [String])? {
        guard let folder = opendir(path) else { return nil }
        defer { closedir(folder) }
        var (usable, problems): ([String], [String]) = ([], [])
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard name.hasSuffix(HeightTile.suffix) else {
                if let advice = Self.advice(on: name) { problems.append(advice) }
                continue
            }
            guard let corner = HeightTile.corner(of: name) else {
                problems.append("\(name) is not named like N47E008.hgt")
                continue
            }
            do throws(TerrainProblem) {
                if try HeightTile(in: path, south: corner.south, west: corner.west) != nil { usable.append(name) }
            } catch {
                problems.append(error.text)
            }
        }
        return (usable.sorted(), problems.sorted())
    }

    /// What to do with a file that holds heights in a form that is not read; nil for any other file.
    private static func advice(on name: String) -> String? {
        let small = name.lowercased()
        if small.hasSuffix(HeightTile.suffix) {
            return "\(name) is not read: its name must end with .hgt in small letters"
        }
        if [".hgt.zip", ".hgt.gz", ".hgt.bz2", ".hgt.xz"].contains(where: small.hasSuffix) {
            return "\(name) is not read: unpack it"
        }
        if [".tif", ".tiff", ".asc", ".dem", ".bil"].contains(where: small.hasSuffix) {
            return "\(name) is not read: gdal_translate -of SRTMHGT makes .hgt files of it"
        }
        return nil
    }

    /// The grid of a patch: indices count steps from the equator and the zero meridian.
    private struct Grid {
        var perDegree: Int
        var south, north, west, east: Int
        var columns: Int { east - west + 1 }
        var heights: [Int16]

        init(around place: Coordinate, perDegree: Int) {
            self.perDegree = perDegree
            let wide = min(widestDegrees, reachDegrees / max(0.01, Glibc.cos(place.latitude * .pi / 180)))
            let step = Double(perDegree)
            south = Int(((max(-90, place.latitude - reachDegrees)) * step).rounded(.down))
            north = Int(((min(90, place.latitude + reachDegrees)) * step).rounded(.up))
            west = Int(((place.longitude - wide) * step).rounded(.down))
            east = Int(((place.longitude + wide) * step).rounded(.up))
            heights = Array(repeating: TerrainPatch.void, count: (north - south + 1) * (east - west + 1))
        }

        /// A hole has at most this many steps to the next known height.
        private static let widestHole = 4

        /// Gives each cell of a small hole the nearest known height. A larger one stays unknown: it may be a sea.
        mutating func fillHoles() {
            let known = heights
            for index in known.indices where known[index] == TerrainPatch.void {
                if let height = nearest(to: index, in: known) { heights[index] = height }
            }
        }

        /// The nearest known height to the north, south, west or east; nil if none is near.
        private func nearest(to index: Int, in known: [Int16]) -> Int16? {
            let (row, column) = (index / columns, index % columns)
            for steps in 1...Self.widestHole {
                for (up, right) in [(-steps, 0), (steps, 0), (0, -steps), (0, steps)] {
                    guard (0...north - south).contains(row + up), (0..<columns).contains(column + right) else {
                        continue
                    }
                    let height = known[(row + up) * columns + column + right]
                    if height != TerrainPatch.void { return height }
                }
            }
            return nil
        }
    }

    private func read(around place: Coordinate) -> TerrainAnswer {
        LoopThread.assertMayBlock()
        guard place.isOnEarth else { return TerrainAnswer() }
        var answer = TerrainAnswer()
        var tiles: [HeightTile] = []
        let corners = Grid(around: place, perDegree: 1)
        for south in corners.south...corners.north {
            for west in corners.west...corners.east {
                do throws(TerrainProblem) {
                    if let tile = try HeightTile(in: path, south: south, west: west) { tiles.append(tile) }
                } catch {
                    answer.problems.append(error.text)
                }
            }
        }
        // The finest file gives the steps.
        guard let perDegree = tiles.map(\.perDegree).max() else { return answer }
        var grid = Grid(around: place, perDegree: perDegree)
        for tile in tiles {
            do throws(TerrainProblem) {
                try Self.fill(&grid, from: tile)
            } catch {
                answer.problems.append(error.text)
            }
        }
        guard grid.heights.contains(where: { $0 != TerrainPatch.void }) else { return answer }
        grid.fillHoles()
        answer.patch = TerrainPatch(
            southWest: Coordinate(
                latitude: Double(grid.south) / Double(perDegree), longitude: Double(grid.west) / Double(perDegree)),
            stepDegrees: 1 / Double(perDegree), columns: grid.columns, heights: grid.heights)
        return answer
    }

    /// A degree of latitude and longitude, by its south-western corner.
    private struct Corner: Hashable {
        var south, west: Int
    }

    /// The nearest height at each place.
    private func read(along lines: [GroundLine]) -> TerrainAnswer {
        LoopThread.assertMayBlock()
        var answer = TerrainAnswer()
        // Most crews bring no heights, so the folder is missing.
        guard access(path, R_OK | X_OK) == 0 else { return answer }
        var tiles: [Corner: HeightTile?] = [:]
        func height(at place: Coordinate) -> Int16 {
            guard place.isOnEarth else { return TerrainPatch.void }
            let corner = Corner(
                south: Int(place.latitude.rounded(.down)), west: Int(place.longitude.rounded(.down)))
            do throws(TerrainProblem) {
                if tiles[corner] == nil, tiles.count < Self.mostTiles {
                    tiles[corner] = .some(nil)
                    tiles[corner] = .some(try HeightTile(in: path, south: corner.south, west: corner.west))
                }
                guard let tile = tiles[corner] ?? nil else { return TerrainPatch.void }
                let step = Double(tile.perDegree)
                let row = Int(((Double(tile.south + 1) - place.latitude) * step).rounded())
                let column = Int(((place.longitude - Double(tile.west)) * step).rounded())
                let height = try tile.heights(row: row, columns: column...column)[0]
                return Self.plausible.contains(height) ? height : TerrainPatch.void
            } catch {
                answer.problems.append(error.text)
                tiles[corner] = .some(nil)
                return TerrainPatch.void
            }
        }
        answer.lines = lines.map { line in (0..<line.count).map { height(at: line.place($0)) } }
        return answer
    }

    /// Copies a tile's heights. Neighbours share an edge, so each fills it.
    private static func fill(_ grid: inout Grid, from tile: HeightTile) throws(TerrainProblem) {
        let step = grid.perDegree
        let (south, west) = (tile.south * step, tile.west * step)
        let (first, last) = (max(grid.west, west), min(grid.east, west + step))
        let (lowest, highest) = (max(grid.south, south), min(grid.north, south + step))
        // The patch's steps are finer than whole degrees, so a neighbour may not reach it.
        guard first <= last, lowest <= highest else { return }
        let firstHeight = scaled(first - west, from: step, to: tile.perDegree)
        let columns = firstHeight...scaled(last - west, from: step, to: tile.perDegree)
        for row in lowest...highest {
            let heights = try tile.heights(
                row: scaled(south + step - row, from: step, to: tile.perDegree), columns: columns)
            for column in first...last {
                let height = heights[scaled(column - west, from: step, to: tile.perDegree) - firstHeight]
                let index = (row - grid.south) * grid.columns + column - grid.west
                if grid.heights[index] == TerrainPatch.void, plausible.contains(height) { grid.heights[index] = height }
            }
        }
    }

    /// The nearest index in a tile with other steps.
    private static func scaled(_ index: Int, from steps: Int, to others: Int) -> Int {
        (index * others + steps / 2) / steps
    }
}
