import FlightMath
import Foundation
import Gateway
import TerrainTiles
import TestSupport
import Testing

/// Height files, made here and read also by GDAL.
@Suite(.timeLimit(.minutes(10))) struct TerrainFolderTests {
    /// Gentle hills, metres: neighbouring heights of a file with 3 arc seconds differ by less than a metre.
    private static func metres(_ latitude: Double, _ longitude: Double) -> Double {
        1000 + 80 * sin(latitude * 9) + 60 * cos(longitude * 11)
    }

    private static func write(_ name: String, _ south: Int, _ west: Int, size: Int = 1201, in folder: URL) throws {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(size * size * 2)
        for row in 0..<size {
            let latitude = Double(south) + 1 - Double(row) / Double(size - 1)
            for column in 0..<size {
                let longitude = Double(west) + Double(column) / Double(size - 1)
                let height = UInt16(bitPattern: Int16(metres(latitude, longitude).rounded()))
                bytes += [UInt8(height >> 8), UInt8(height & 0xFF)]
            }
        }
        try Data(bytes).write(to: folder.appendingPathComponent(name))
    }

    private static func fill(_ folder: URL) throws {
        try write("N47E008.hgt", 47, 8, in: folder)
        try write("N46E008.hgt", 46, 8, in: folder)
        try write("S01W001.hgt", -1, -1, in: folder)
        try write("N46E007.hgt", 46, 7, size: 3601, in: folder)
    }

    /// 1000 places in four files, borders included: at most a metre from `gdallocationinfo`, whose heights are the
    /// nearest, and from the true hills.
    @Test func asGDAL() async throws {
        let folder = try temporaryDirectory()
        try Self.fill(folder)
        let terrain = TerrainFolder(path: folder.path)
        var random = SeededRandom(seed: 3)
        var worst = (gdal: 0.0, truth: 0.0)
        for (name, south, west) in [
            ("N47E008", 47, 8), ("N46E008", 46, 8), ("S01W001", -1, -1), ("N46E007", 46, 7),
        ] {
            // Ten places around each of 21 centres and of the corners.
            var places: [Coordinate] = []
            let corners = [(0.0, 0.0), (0, 1), (1, 0), (1, 1)]
            let centres =
                corners
                + (0..<21).map { _ in
                    (Double.random(in: 0...1, using: &random), Double.random(in: 0...1, using: &random))
                }
            for (north, east) in centres {
                places.append(Coordinate(latitude: Double(south) + north, longitude: Double(west) + east))
                for _ in 0..<9 {
                    let (up, right) = (
                        north + .random(in: -0.1...0.1, using: &random), east + .random(in: -0.1...0.1, using: &random)
                    )
                    places.append(
                        Coordinate(
                            latitude: Double(south) + min(1, max(0, up)),
                            longitude: Double(west) + min(1, max(0, right))
                        ))
                }
            }
            let lines = places.map { "\($0.longitude) \($0.latitude)" }.joined(separator: "\n") + "\n"
            let input = folder.appendingPathComponent("places")
            try Data(lines.utf8).write(to: input)
            let gdal = try Child(
                "sh", ["-c", "gdallocationinfo -valonly -wgs84 \(folder.path)/\(name).hgt < \(input.path)"])
            #expect(try await gdal.exitCode() == 0)
            let heights = gdal.text.split(separator: "\n", omittingEmptySubsequences: false).map { Double($0) }
            var patch: TerrainPatch?
            for (index, (place, height)) in zip(places, heights).enumerated() {
                if index.isMultiple(of: 10) { patch = await terrain.terrain(around: place).patch }
                let own = try #require(patch?.heightMetres(at: place), "\(place)")
                if let height { worst.gdal = max(worst.gdal, abs(own - height)) }
                worst.truth = max(worst.truth, abs(own - Self.metres(place.latitude, place.longitude)))
            }
        }
        #expect(worst.gdal <= 1 && worst.truth <= 1, "\(worst)")
    }

    /// The heights along a line through three files are the hills'; beyond the files they are unknown.
    @Test func alongLines() async throws {
        let folder = try temporaryDirectory()
        try Self.fill(folder)
        let terrain = TerrainFolder(path: folder.path)
        let line = GroundLine(
            from: Coordinate(latitude: 46.6, longitude: 7.5), bearingDegrees: 45, metres: 90_000, count: 500)
        let away = GroundLine(
            from: Coordinate(latitude: 46.6, longitude: 7.4), bearingDegrees: 270, metres: 90_000, count: 2)
        let answer = await terrain.heights(along: [line, away])
        #expect(answer.problems.isEmpty && answer.lines.map(\.count) == [500, 2])
        for (index, height) in answer.lines[0].enumerated() {
            let place = line.place(index)
            #expect(abs(Double(height) - Self.metres(place.latitude, place.longitude)) <= 1.5, "\(place)")
        }
        #expect(line.place(499).latitude > 47 && line.place(499).longitude > 8)
        #expect(answer.lines[1][1] == TerrainPatch.void)
        try Data(count: 3).write(to: folder.appendingPathComponent("N46E006.hgt"))
        let refused = await terrain.heights(along: [away, away])
        #expect(refused.problems == ["N46E006.hgt has 3 bytes; a height file has 2884802 or 25934402"])
        let odd = GroundLine(
            from: Coordinate(latitude: .nan, longitude: 1e300), bearingDegrees: 0, metres: 100, count: 3)
        #expect(await terrain.heights(along: [odd]).lines == [Array(repeating: TerrainPatch.void, count: 3)])
        #expect(await TerrainFolder(path: "/proc/nowhere").heights(along: [line]) == TerrainAnswer())
    }

    /// The documentation's commands make a height file from a GeoTIFF in another projection.
    @Test func theRecipe() async throws {
        let folder = try temporaryDirectory()
        let sources = try temporaryDirectory()
        // The degree and its neighbours' edges.
        for (name, south, west) in [("N47E008", 47, 8), ("N46E008", 46, 8), ("N47E007", 47, 7), ("N46E007", 46, 7)] {
            try Self.write("\(name).hgt", south, west, in: sources)
        }
        let page = try Fixtures.text("deploy/doc/terrain.md")
        let recipe = try #require(page.split(separator: "```sh\n").dropFirst().first?.split(separator: "```").first)
        let commands = recipe.split(separator: "\n").filter { !$0.hasPrefix("sudo") }.joined(separator: "\n")
        let making =
            "gdalwarp -q -t_srs EPSG:32632 -tr 60 60 -r bilinear -ot Float32 -dstnodata -9999 \(sources.path)/*.hgt made.tif"
        let gdal = try Child("sh", ["-ec", "cd \(folder.path)\n\(making)\n\(commands)"])
        #expect(try await gdal.exitCode() == 0, "\(gdal.text)")
        try FileManager.default.removeItem(at: sources)
        let terrain = TerrainFolder(path: folder.path)
        for (latitude, longitude) in [(47.5, 8.5), (47.1, 8.9), (47.9, 8.05), (47.02, 8.02)] {
            let place = Coordinate(latitude: latitude, longitude: longitude)
            let patch = try #require(await terrain.terrain(around: place).patch)
            let height = try #require(patch.heightMetres(at: place))
            #expect(abs(height - Self.metres(latitude, longitude)) <= 1.5, "\(place)")
        }
    }

    /// A place near a border has the heights of both files, in the finer file's steps. Without the neighbour only the
    /// shared edge is known.
    @Test func borders() async throws {
        let folder = try temporaryDirectory()
        try Self.fill(folder)
        let terrain = TerrainFolder(path: folder.path)
        let corner = Coordinate(latitude: 47, longitude: 8)
        let answer = await terrain.terrain(around: corner)
        let patch = try #require(answer.patch)
        #expect(answer.problems.isEmpty && abs(patch.stepDegrees - 1.0 / 3600) < 1e-12)
        for (north, east) in [(0.05, 0.05), (-0.05, 0.05), (-0.05, -0.05), (0.0, 0.05), (-0.05, 0)] {
            let place = Coordinate(latitude: 47 + north, longitude: 8 + east)
            let height = try #require(patch.heightMetres(at: place))
            #expect(abs(height - Self.metres(place.latitude, place.longitude)) <= 1)
        }
        #expect(patch.heightMetres(at: Coordinate(latitude: 47.05, longitude: 7.95)) == nil)
        let elsewhere = await terrain.terrain(around: Coordinate(latitude: 20, longitude: 20))
        #expect(elsewhere == TerrainAnswer())
        for odd in [(Double.nan, 0.0), (90, 0), (-90, 180), (0, -360), (1e300, 1e300)] {
            _ = await terrain.terrain(around: Coordinate(latitude: odd.0, longitude: odd.1))
        }
        #expect(await terrain.terrain(around: Coordinate(latitude: -0.5, longitude: 359.5)).patch != nil)
    }

    /// Truncated, too large, and other files are refused by name; voids and impossible heights are unknown.
    @Test func badFiles() async throws {
        let folder = try temporaryDirectory()
        try Data(count: 2_884_800).write(to: folder.appendingPathComponent("N47E008.hgt"))
        try Data(count: 26_000_000).write(to: folder.appendingPathComponent("N47E009.hgt"))
        try FileManager.default.createDirectory(
            at: folder.appendingPathComponent("N46E009.hgt"), withIntermediateDirectories: false)
        try Data().write(to: folder.appendingPathComponent("n46e8.hgt"))
        var odd = Data(count: 2 * 1201 * 1201)
        for index in stride(from: 0, to: odd.count, by: 2) { odd[index] = 0x80 }
        try odd.write(to: folder.appendingPathComponent("N46E008.hgt"))
        let terrain = TerrainFolder(path: folder.path)
        let answer = await terrain.terrain(around: Coordinate(latitude: 46.99, longitude: 8.99))
        #expect(answer.patch == nil)
        for text in ["N47E008.hgt has 2884800 bytes", "N47E009.hgt has 26000000 bytes", "N46E009.hgt is not a file"] {
            #expect(answer.problems.contains { $0.hasPrefix(text) }, "\(answer.problems)")
        }
        let survey = try #require(TerrainFolder.survey(folder.path))
        #expect(survey.usable == ["N46E008.hgt"] && survey.problems.count == 4)
        #expect(survey.problems.contains("n46e8.hgt is not named like N47E008.hgt"))
        #expect(TerrainFolder.survey("/proc/nowhere") == nil)
    }

    /// A hole of one cell has its neighbours' height, not sea level. A hole of ten cells stays unknown in its middle.
    @Test func holes() async throws {
        let folder = try temporaryDirectory()
        try Self.write("N47E008.hgt", 47, 8, in: folder)
        let file = folder.appendingPathComponent("N47E008.hgt")
        var bytes = try Data(contentsOf: file)
        func clear(_ rows: ClosedRange<Int>, _ columns: ClosedRange<Int>) {
            for row in rows {
                for column in columns {
                    let index = (row * 1201 + column) * 2
                    (bytes[index], bytes[index + 1]) = (0x80, 0)
                }
            }
        }
        clear(600...600, 600...600)
        clear(620...630, 600...610)
        try bytes.write(to: file)
        let terrain = TerrainFolder(path: folder.path)
        let patch = try #require(await terrain.terrain(around: Coordinate(latitude: 47.5, longitude: 8.5)).patch)
        let height = try #require(patch.heightMetres(at: Coordinate(latitude: 47.5, longitude: 8.5)))
        #expect(abs(height - Self.metres(47.5, 8.5)) <= 2)
        let middle = Coordinate(latitude: 48 - 625.0 / 1200, longitude: 8 + 605.0 / 1200)
        #expect(patch.heightMetres(at: middle) == nil)
    }

    /// Heights in a form that is not read are named, with what to do.
    @Test func otherFormsAreNamed() throws {
        let folder = try temporaryDirectory()
        for name in ["N47E008.HGT", "N47E009.hgt.zip", "dem.tif", "README.txt"] {
            try Data().write(to: folder.appendingPathComponent(name))
        }
        let survey = try #require(TerrainFolder.survey(folder.path))
        #expect(
            survey.problems == [
                "N47E008.HGT is not read: its name must end with .hgt in small letters",
                "N47E009.hgt.zip is not read: unpack it",
                "dem.tif is not read: gdal_translate -of SRTMHGT makes .hgt files of it",
            ])
    }
}
