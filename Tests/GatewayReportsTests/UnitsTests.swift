import FlightMath
import ReceiverProtocol
import Testing

@testable import GatewayReports

/// The same values in metric, imperial and aviation units.
@Suite struct UnitsTests {
    /// Each unit, its singular, and the values at which another unit begins.
    static let measured: [Announcement] = distances + altitudes + speeds + moves

    private static let distances: [Announcement] = [1600, 1609.344, 1850, 1852, 15_900, 18_300, 160_000].map {
        .distance(metres: $0, to: PhrasebookTests.here)
    }
    private static let altitudes: [Announcement] = [3000, 4572, 13_716].map { .altitude(metres: $0, isRising: true) }
    private static let speeds: [Announcement] = [-0.5, -14.2, 6.1].map {
        .status(SpokenStatus(.inTheAir, verticalSpeed: $0, altitudeMetres: 3030))
    }
    private static let moves: [Announcement] = [185_200, 2778].map {
        .landingMoved(to: far($0), metres: 2000, degrees: 90)
    }

    /// Half as well known as it is far.
    private static func far(_ metres: Double) -> SpokenLanding {
        SpokenLanding(PhrasebookTests.here.moved(east: metres, north: 0), radius50Metres: metres / 2)
    }

    @Test(
        arguments: [
            (.distance(0), "10 metres", "10 feet", "10 feet"),
            (.distance(304), "300 metres", "1000 feet", "1000 feet"),
            (.distance(152.4), "150 metres", "500 feet", "500 feet"),
            (.distance(999), "1000 metres", "3300 feet", "3300 feet"),
            (.distance(1000), "1 kilometre", "3300 feet", "3300 feet"),
            (.distance(1609.344), "1.6 kilometres", "1 mile", "5300 feet"),
            (.distance(1852), "1.9 kilometres", "1.2 miles", "1 nautical mile"),
            (.distance(8046.72), "8 kilometres", "5 miles", "4.3 nautical miles"),
            (.distance(9990), "10 kilometres", "6.2 miles", "5.4 nautical miles"),
            (.distance(200_000), "200 kilometres", "120 miles", "110 nautical miles"),
            (.distance(.nan), "an unknown distance", "an unknown distance", "an unknown distance"),
            (.distance(-1), "an unknown distance", "an unknown distance", "an unknown distance"),
            (.altitude(31_204), "31 kilometres", "102 thousand feet", "102 thousand feet"),
            (.altitude(1000), "1 kilometre", "3300 feet", "3300 feet"),
            (.height(0), "100 metres", "100 feet", "100 feet"),
            (.height(3030), "3000 metres", "9900 feet", "9900 feet"),
            (.height(3033), "3000 metres", "10 thousand feet", "10 thousand feet"),
            (.height(9960), "10 kilometres", "33 thousand feet", "33 thousand feet"),
            (.height(.nan), "an unknown distance", "an unknown distance", "an unknown distance"),
            (.verticalSpeed(0.5), "1 metre per second", "100 feet per minute", "100 feet per minute"),
            (.verticalSpeed(5.1), "5 metres per second", "1000 feet per minute", "1000 feet per minute"),
            (.error(3000, of: 14_000), "3", "1.9", "1.6"),
            (.error(1700, of: 14_000), "1.7", "1.1", "5600 feet"),
            (.error(3000, of: nil), "3 kilometres", "1.9 miles", "1.6 nautical miles"),
            (.error(3000, of: 900), "3 kilometres", "1.9 miles", "1.6 nautical miles"),
        ] as [(Quantity, String, String, String)])
    func words(_ quantity: Quantity, _ metric: String, _ imperial: String, _ aviation: String) {
        let said = Units.allCases.map { Language.english.phrasebook(in: $0).text(of: .quantity(quantity)) }
        #expect(said == [metric, imperial, aviation])
    }

    /// Whole sentences in miles and in nautical miles.
    @Test(
        arguments: [
            (
                .status(
                    SpokenStatus(
                        .inTheAir, verticalSpeed: -12.2, altitudeMetres: 4312, timeToGo: .seconds(540),
                        landing: PhrasebookTests.here.moved(east: 9900, north: 9900), margin: .seconds(180))),
                "Falling at 2400 feet per minute, 14 thousand feet high. Lands in 9 minutes, 8.7 miles ahead, half left."
                    + " You arrive 3 minutes before it.",
                "Falling at 2400 feet per minute, 14 thousand feet high. Lands in 9 minutes, 7.6 nautical miles ahead,"
                    + " half left. You arrive 3 minutes before it."
            ),
            (
                .burst(
                    PhrasebookTests.point(31_204),
                    landing: SpokenLanding(
                        PhrasebookTests.here.moved(east: 14_000, north: 0), timeToGo: .seconds(2280),
                        radius50Metres: 3000)),
                "Burst at 102 thousand feet. Lands in 38 minutes, 8.7 miles ahead, give or take 1.9.",
                "Burst at 102 thousand feet. Lands in 38 minutes, 7.6 nautical miles ahead, give or take 1.6."
            ),
            (
                .below10km(PhrasebookTests.point(9990)), "The sonde is below 33 thousand feet.",
                "The sonde is below 33 thousand feet."
            ),
            (
                .distance(metres: 8046.72, to: PhrasebookTests.here.moved(east: 8000, north: 0)),
                "5 miles to go, straight ahead.", "4.3 nautical miles to go, straight ahead."
            ),
        ] as [(Announcement, String, String)])
    func sentences(_ announcement: Announcement, _ imperial: String, _ aviation: String) {
        let said = [Units.imperial, .aviation].map {
            Language.english.phrasebook(in: $0).sentence(for: announcement, from: PhrasebookTests.car)
        }
        #expect(said == [imperial, aviation])
    }

    /// The event's sentences have the units; its values stay metric.
    @Test func topicsStayMetric() {
        let now = Moment(monotonic: .zero, wall: WallTime(millisecondsSince1970: 0), isClockSynced: true)
        let report = AnnouncementReport(
            announcement: .altitude(metres: 4572, isRising: true), at: now, units: .aviation)
        let json = String(decoding: report.payload, as: UTF8.self)
        #expect(json.contains(#""text":"Climbing through 15 thousand feet.""#), "\(json)")
        #expect(json.contains(#""altitude_m":4572.0"#), "\(json)")
    }
}
