import FlightMath
import GatewayReports
import ReceiverProtocol

/// A small invented flight: launch, a gap, burst, landing.
enum MadeFlight {
    static let start = WallTime(millisecondsSince1970: 1_795_314_600_000)

    static let points: [TrackPoint] = {
        var points: [TrackPoint] = []
        var altitude = 500.0
        func add(_ count: Int, seconds: Int64 = 10, climb: Double, gap: Int64 = 0) {
            for step in 0..<count {
                let time = points.last?.time.advanced(byMilliseconds: (step == 0 ? gap : 0) + seconds * 1000) ?? start
                if !points.isEmpty { altitude += climb }
                let index = Double(points.count)
                let isMoving = climb != 0
                let old = points.last?.coordinate
                points.append(
                    TrackPoint(
                        time: time,
                        coordinate: isMoving || old == nil
                            ? Coordinate(latitude: 46.8 + index * 0.0001, longitude: 6.9 + index * 0.0007)
                            : old ?? Coordinate(latitude: 0, longitude: 0),
                        altitudeMetres: altitude, source: points.count % 5 == 4 ? .sondehub : .ble))
            }
        }
        add(20, climb: 50)
        add(21, climb: 50, gap: 90_000)
        add(20, climb: -100)
        add(8, climb: 0)
        return points
    }()

    static func flight(serial: String = "V4210150", type: SondeType = .rs41, _ points: [TrackPoint] = points)
        -> ArchivedFlight?
    {
        guard let serial = SondeSerial(name: serial, type: .other("")), let first = points.first, let last = points.last
        else { return nil }
        return ArchivedFlight(
            id: 1, serial: serial, sondeType: type, firstAt: first.time, last: last, points: points.count,
            highestMetres: points.map(\.altitudeMetres).max() ?? 0)
    }
}
