import FlightMath
import Foundation
import Gateway
import GatewayReports
import GatewayTestSupport

/// Prints what a crew hears in a whole flight, with the status every ten minutes. Its car waits at the launch place for the
/// first prediction, then drives straight to the landing point.
///
/// `towns.csv` in the flights' folder, if it exists, holds the towns that sentences name: `name,lat,lon,people`.
struct ToldFlight {
    /// m/s over ground.
    private static let carSpeed = 15.0
    /// The car stops this near the landing point, metres.
    private static let parked = 100.0
    /// The track's last place is heard for so long after the landing.
    private static let groundSeconds: Int64 = 300

    private let track: RecordedTrack
    private var heard: HeardFlight
    private var car: Coordinate
    private var sentences: [String] = []

    /// - Returns: nil for a track without points.
    init?(_ track: RecordedTrack, _ flights: OtherFlights, towns: URL) throws {
        guard let first = track.points.first else { return nil }
        (self.track, car) = (track, first.coordinate)
        heard = HeardFlight(
            first, flights.options(track), chase: ChaseOptions(statusInterval: .seconds(600)))
        let rows = FileManager.default.fileExists(atPath: towns.path) ? try CSV(file: towns).rows : []
        let places = rows.compactMap { row -> NamedPlace? in
            guard let name = row.text("name"), let latitude = row.number("lat"), let longitude = row.number("lon")
            else {
                return nil
            }
            return NamedPlace(
                name: name, coordinate: Coordinate(latitude: latitude, longitude: longitude),
                people: Int(row.number("people") ?? 0))
        }
        heard.script.run(.townsFound(TownsAround(places)))
    }

    mutating func report() {
        var points = track.resampled(everySeconds: HeardFlight.spacing)
        guard let last = points.last else { return }
        for second in stride(
            from: HeardFlight.spacing, through: Self.groundSeconds, by: Int64.Stride(HeardFlight.spacing))
        {
            var point = last
            point.time = last.time.advanced(by: .seconds(second))
            points.append(point)
        }
        for point in points {
            tell(heard.hear(point), at: point)
            drive(Double(HeardFlight.spacing), at: point)
        }
        print("\(track.name): \(sentences.count) sentences\n" + sentences.joined(separator: "\n"))
    }

    private mutating func tell(_ outcome: Script.Outcome, at point: TrackPoint) {
        for report in outcome.spoken {
            let minute = heard.seconds / 60
            sentences.append(
                "\(decimal(minute, 1)) min, \(decimal(point.altitudeMetres / 1000, 1)) km: \(report.text)")
        }
    }

    private mutating func drive(_ seconds: Double, at point: TrackPoint) {
        var (speed, course) = (0.0, Double?.none)
        if case .landing(let report?) = heard.script.newest[.landing] {
            let (east, north) = car.offsetMetres(to: report.coordinate)
            let way = (east * east + north * north).squareRoot()
            if way > Self.parked {
                let share = min(1, Self.carSpeed * seconds / way)
                car = car.moved(east: east * share, north: north * share)
                (speed, course) = (Self.carSpeed, atan2(east, north) * 180 / .pi)
            }
        }
        let heading = course.map { $0 < 0 ? $0 + 360 : $0 }
        tell(heard.script.fix(at: car, speed: speed, course: heading), at: point)
    }
}
