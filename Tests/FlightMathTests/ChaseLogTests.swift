import FlightMath
import Testing

/// What a crew's car did, from its own way.
@Suite struct ChaseLogTests {
    private static let place = Coordinate(latitude: 46.8, longitude: 6.9)
    private static let landedAt = WallTime(millisecondsSince1970: 1_795_314_600_000)

    private func log(_ way: [(minute: Int64, east: Double)], hasLanded: Bool = true) -> ChaseLog {
        let landing = TrackPoint(time: Self.landedAt, coordinate: Self.place, altitudeMetres: 500, source: .ble)
        var log = ChaseLog(landing: hasLanded ? landing : nil)
        for step in way {
            log.add([
                CarPoint(
                    time: Self.landedAt.advanced(byMilliseconds: step.minute * 60_000),
                    coordinate: Self.place.moved(east: step.east, north: 0), altitudeMetres: nil)
            ])
        }
        return log
    }

    @Test func aDriveToTheSonde() {
        let log = log([(-30, -20_000), (-10, -4000), (5, -150), (15, 0), (60, -20_000)])
        #expect(log.from == Self.landedAt.advanced(byMilliseconds: -1_800_000))
        #expect(log.to == Self.landedAt.advanced(byMilliseconds: 3_600_000))
        #expect(abs(log.drivenMetres - 40_000) < 200)
        #expect(log.arrivedAt == Self.landedAt.advanced(byMilliseconds: 300_000))
    }

    /// The car crossed the place before the sonde was there, and never came back.
    @Test func aPlaceThatIsPassedBeforeTheLanding() {
        #expect(log([(-30, -500), (-29, 0), (-28, 500)]).arrivedAt == nil)
    }

    /// The receiver went deaf at 9 km, and the car drove on below that point.
    @Test func nobodyIsAtASondeInTheAir() {
        let log = log([(5, -150), (15, 0)], hasLanded: false)
        #expect(log.arrivedAt == nil && log.from != nil && log.drivenMetres > 100)
    }

    @Test func noCar() {
        let log = log([])
        #expect(log.from == nil && log.to == nil && log.arrivedAt == nil && log.drivenMetres == 0)
    }
}
