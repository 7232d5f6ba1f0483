import FlightMath
import Foundation
import ReceiverProtocol
import TestSupport
import Testing

@testable import GatewayReports

/// A recorded flight as a file.
@Suite struct FlightFileTests {
    /// - Parameter step: the number of points in a piece.
    private func file(
        _ format: FlightFileFormat, _ points: [TrackPoint] = MadeFlight.points, serial: String = "V4210150",
        type: SondeType = .rs41, step: Int = 7
    ) throws -> String {
        // Without points use the flight's own.
        let flight = try #require(
            MadeFlight.flight(serial: serial, type: type, points.isEmpty ? [MadeFlight.points[0]] : points))
        var marks = FlightMarks()
        marks.add(points)
        var file = FlightFile(format, of: flight, marks: marks)
        var bytes = file.begin()
        for start in stride(from: 0, to: points.count, by: step) {
            bytes += file.add(points[start..<min(points.count, start + step)])
        }
        return String(decoding: bytes + file.end(), as: UTF8.self)
    }

    /// The files equal the stored ones, which were checked with the formats' schemas.
    @Test(arguments: FlightFileFormat.allCases)
    func golden(_ format: FlightFileFormat) throws {
        let written = try file(format)
        let path = "Fixtures/files/flight.\(format.rawValue)"
        if ProcessInfo.processInfo.environment["WRITE_FIXTURES"] != nil {
            try Data(written.utf8).write(to: Fixtures.url(path))
        }
        #expect(written == (try Fixtures.text(path)))
    }

    @Test(arguments: FlightFileFormat.allCases)
    func piecewiseOutputIsTheSame(_ format: FlightFileFormat) throws {
        let whole = try file(format, step: 1000)
        for step in [1, 2, 20, 21, 40] { #expect(try file(format, step: step) == whole) }
    }

    @Test func gapsEndSegments() throws {
        #expect(try file(.gpx).components(separatedBy: "<trkseg>").count == 3)
        #expect(try file(.kml).components(separatedBy: "<LineString>").count == 3)
        // A minute is no gap.
        let minute = (0..<3).map { (index: Int64) in
            var point = MadeFlight.points[0]
            point.time = MadeFlight.start.advanced(byMilliseconds: 60_000 * index)
            return point
        }
        #expect(try file(.gpx, minute).components(separatedBy: "<trkseg>").count == 2)
    }

    /// Points heard in the car on the way home are kept apart from the flight.
    @Test func pointsAfterTheLandingAreSeparate() throws {
        var points = MadeFlight.points
        for index in 1...40 {
            var point = try #require(points.last)
            point.time = point.time.advanced(byMilliseconds: 10_000)
            // The sonde rests for a while, then a car carries it.
            if index > 20 { point.coordinate.longitude += 0.002 }
            points.append(point)
        }
        let tracks = try file(.gpx, points).components(separatedBy: "<trk>")
        #expect(tracks.count == 3 && tracks[2].hasPrefix("<name>V4210150 after the landing</name>"))
        #expect(tracks.dropFirst().map { $0.components(separatedBy: "<trkpt ").count - 1 }.reduce(0, +) == points.count)
        #expect(tracks[2].components(separatedBy: "<trkpt ").count > 21)
        #expect(try file(.kml, points).components(separatedBy: "</MultiGeometry></Placemark>").count == 3)
        #expect(try file(.geoJSON, points).components(separatedBy: "\"name\":\"after the landing\"").count == 2)
        let rows = try file(.csv, points).split(separator: "\n")
        #expect(rows[1].contains(",ble,0,") && rows.last?.contains(",ble,1,") == true)
        for format in FlightFileFormat.allCases {
            let whole = try file(format, points, step: 1000)
            for step in [1, 7, 40] { #expect(try file(format, points, step: step) == whole) }
        }
    }

    /// The car's own way is a track of its own in GPX, and lines in CSV. A car that stands leaves no gap; one that was not
    /// seen for kilometres does.
    @Test func theCarsWayFollowsTheFlight() throws {
        func point(_ second: Int64, east: Double) -> CarPoint {
            CarPoint(
                time: MadeFlight.start.advanced(byMilliseconds: second * 1000),
                coordinate: Coordinate(latitude: 46.8, longitude: 6.9).moved(east: east, north: 0),
                altitudeMetres: second == 0 ? nil : 430)
        }
        let way = [point(0, east: 0), point(5, east: 100), point(900, east: 150), point(990, east: 4000)]
        for format in FlightFileFormat.allCases {
            let flight = try #require(MadeFlight.flight(serial: "V4210150", type: .rs41, MadeFlight.points))
            var marks = FlightMarks()
            marks.add(MadeFlight.points)
            var file = FlightFile(format, of: flight, marks: marks)
            var bytes = file.begin() + file.add(MadeFlight.points)
            let before = bytes.count
            bytes += file.add(way[..<2]) + file.add(way[2...])
            let text = String(decoding: bytes[before...] + file.end(), as: UTF8.self)
            switch format {
            case .gpx:
                #expect(text.contains("</trkseg>\n</trk>\n<trk><name>car</name>\n<trkseg>\n<trkpt lat=\"46.800000\""))
                #expect(text.contains("lon=\"6.900000\"><time>2026") && text.contains("<ele>430.0</ele>"))
                #expect(text.components(separatedBy: "<trkpt ").count == 5)
                #expect(text.components(separatedBy: "<trkseg>").count == 3)
            case .csv:
                #expect(
                    text.split(separator: "\n").map { $0.hasSuffix(",,,car,,,,,,,,,,") } == [true, true, true, true])
            case .kml, .geoJSON: #expect(!text.contains("6.95"))
            }
        }
    }

    /// How the sonde was heard stands in the line of its second.
    @Test func theCSVTellsHowTheSondeWasHeard() throws {
        let flight = try #require(MadeFlight.flight(serial: "V4210150", type: .rs41, MadeFlight.points))
        var marks = FlightMarks()
        marks.add(MadeFlight.points)
        var file = FlightFile(.csv, of: flight, marks: marks)
        var sample = HeardSample(time: MadeFlight.start.advanced(byMilliseconds: 400), source: .ble)
        (sample.rssiDBm, sample.afcHz, sample.frequencyMHz, sample.receiverMillivolts) = (-91.5, -1200, 403.5, 4180)
        sample.view = HeardSample.View(azimuthDegrees: 271.25, distanceMetres: 45_321.4)
        sample.temperatureCelsius = -56.5
        _ = file.begin()
        let bytes = file.add(MadeFlight.points[..<2], samples: [sample.time.wholeSeconds: sample])
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        #expect(lines[0].hasSuffix(",0,-91.5,-1200,403.500,4.180,271.3,45321,-56.5,,"), "\(lines[0])")
        #expect(lines[1].hasSuffix(",0,,,,,,,,,"), "\(lines[1])")
        let columns = CSVFile.header.split(separator: ",").count
        #expect(lines.allSatisfy { $0.split(separator: ",", omittingEmptySubsequences: false).count == columns })
    }

    /// A point alone is no line.
    @Test func fewPoints() throws {
        let one = [MadeFlight.points[0]]
        #expect(try !file(.kml, one).contains("LineString"))
        #expect(try file(.kml, one).contains("<MultiGeometry>\n<Point>"))
        #expect(try !file(.geoJSON, one).contains("LineString"))
        #expect(try file(.csv, one).split(separator: "\n").count == 2)
        for format in FlightFileFormat.allCases { #expect(try !file(format, []).isEmpty) }
        #expect(try JSONSerialization.jsonObject(with: Data(file(.geoJSON, []).utf8)) is [String: Any])
    }

    @Test func namesAreEscaped() throws {
        let text = try file(.gpx, serial: "A1", type: .other("<x>&"))
        #expect(text.contains("<trk><name>A1</name><type>&lt;x&gt;&amp;</type>"))
        let name = try #require(SondeSerial(name: "../(1)/x", type: .other("")))
        #expect(FlightFileFormat.gpx.fileName(for: name) == "1x.gpx")
    }

    /// GPX has no longitude of 180.
    @Test func theDateLine() throws {
        let points = [179.9999999, 180, -180, -179.999999].enumerated().map { index, longitude in
            TrackPoint(
                time: MadeFlight.start.advanced(byMilliseconds: Int64(index) * 1000),
                coordinate: Coordinate(latitude: -0.0000001, longitude: longitude), altitudeMetres: -3.25, source: .ble)
        }
        let text = try file(.gpx, points)
        #expect(
            text.components(separatedBy: "lat=\"0.000000\" lon=\"-180.000000\"><ele>-3.3</ele>").count == 5, "\(text)")
        #expect(text.contains("lon=\"-179.999999\""))
    }

    /// A very long flight becomes several lines, because the times of a line stay in memory until its end.
    @Test func aVeryLongFlightIsSeveralLines() throws {
        let points = (0..<45_000).map { index in
            var point = MadeFlight.points[0]
            point.time = MadeFlight.start.advanced(byMilliseconds: Int64(index) * 1000)
            return point
        }
        let json = try #require(
            try JSONSerialization.jsonObject(with: Data(file(.geoJSON, points, step: 500).utf8)) as? [String: Any])
        let features = try #require(json["features"] as? [[String: Any]])
        let lines = features.filter { ($0["geometry"] as? [String: Any])?["type"] as? String == "LineString" }
        #expect(lines.count == 3)
        for line in lines {
            let coordinates = (line["geometry"] as? [String: Any])?["coordinates"] as? [Any]
            let times = (line["properties"] as? [String: Any])?["coordTimes"] as? [Any]
            #expect(coordinates?.count == times?.count)
            #expect(coordinates?.count ?? 0 <= 20_000)
        }
    }

    @Test func theNetworkLinkNamesTheMap() {
        let link = String(decoding: LiveMap.networkLink(to: "http://car.local:8080/dynamic.kml?a=1&b=2"), as: UTF8.self)
        #expect(link.contains("<href>http://car.local:8080/dynamic.kml?a=1&amp;b=2</href>"))
        #expect(link.contains("<refreshInterval>5</refreshInterval>"))
    }
}
