import GatewayTestSupport
import ReceiverProtocol
import Testing

@testable import FlightMath
@testable import Gateway

/// The choice of the record to use from SondeHub's answer, and its age.
@Suite struct SondeHubChoiceTests {
    private static func candidate(
        _ serial: String, age: Double, altitude: Double = 9000,
        speeds: (horizontal: Double, vertical: Double)? = (10, 5)
    ) -> SondeHubChoice.Candidate {
        var record = Script.record(serial, at: -age, altitude: altitude)
        (record.horizontalSpeed, record.verticalSpeed) = (speeds?.horizontal, speeds?.vertical)
        return SondeHubChoice.Candidate(record: record, age: .seconds(age))
    }

    private static func serial(_ name: String) -> SondeSerial? { SondeSerial(name: name, type: .rs41) }

    @Test func theNewestIsChosen() {
        let (old, new) = (Self.candidate("V2", age: 10), Self.candidate("V3", age: 5))
        #expect(SondeHubChoice().newest(of: [old, new]).record == new.record)
        #expect(SondeHubChoice(hunted: old.record.serial).newest(of: [old, new]).record == old.record)
        #expect(SondeHubChoice(hunted: Self.serial("V9")).newest(of: [old, new]).record == nil)
        #expect(SondeHubChoice().newest(of: []).record == nil)
    }

    /// The followed sonde, its phase, the age of its record, the other records -> the choice.
    @Test(
        arguments: [
            ("V2", .ascending, 3.0, "V2"), ("V2", .descendingBelow10k, 119, "V2"), ("V2", .unknown, 120, "V2"),
            // The followed sonde is silent for too long, has landed, or is not in the answer.
            ("V2", .ascending, 121, "V3"), ("V2", .landed, 3, "V3"), ("V1", .ascending, 3, "V3"),
        ] as [(String, FlightPhase, Double, String)])
    func theChosenOneStays(_ followed: String, _ phase: FlightPhase, _ age: Double, _ choice: String) {
        let rule = SondeHubChoice(followed: Self.serial(followed), followedPhase: phase)
        let candidates = [Self.candidate("V2", age: age), Self.candidate("V3", age: 2)]
        #expect(rule.newest(of: candidates).record?.serial == Self.serial(choice))
        #expect(rule.newest(of: candidates.reversed()).record?.serial == Self.serial(choice))
    }

    /// A flying sonde with fresh data is chosen before one that has landed and still transmits.
    @Test(arguments: [(30.0, "V3"), (121, "V2")]) func flyingBeforeLanded(_ age: Double, _ choice: String) {
        let landed = Self.candidate("V2", age: 1, altitude: 440, speeds: (0.1, 0))
        let flying = Self.candidate("V3", age: age, speeds: nil)
        #expect(SondeHubChoice().newest(of: [landed, flying]).record?.serial == Self.serial(choice))
    }

    /// The phase of a followed sonde at rest -> the choice. Only one that was seen in flight is kept.
    @Test(arguments: [(FlightPhase.unknown, "V3"), (.landed, "V3"), (.descendingBelow10k, "V2"), (.ascending, "V2")])
    func aSondeOnTheGroundGivesWay(_ phase: FlightPhase, _ choice: String) {
        let rule = SondeHubChoice(followed: Self.serial("V2"), followedPhase: phase)
        let resting = Self.candidate("V2", age: 1, altitude: 440, speeds: (0, 0))
        #expect(rule.newest(of: [resting, Self.candidate("V3", age: 2)]).record?.serial == Self.serial(choice))
        // It stays as long as nothing flies.
        #expect(rule.newest(of: [resting]).record == resting.record)
    }

    /// Another sonde's height and speeds, the age of the followed one's record -> the choice. The followed sonde lies on
    /// the ground: one in its finder's car or beside it does not replace it, one that flies does.
    @Test(
        arguments: [
            (540.0, 15.0, 0.4, 20.0, "V2"), (440, 0, 0, 20, "V2"), (440, 0, 0, 121, "V3"), (900, 9, 4.8, 20, "V3"),
        ] as [(Double, Double, Double, Double, String)])
    func theOneOnTheGroundStays(
        _ altitude: Double, _ horizontal: Double, _ vertical: Double, _ age: Double, _ choice: String
    ) {
        let resting = Self.candidate("V2", age: age, altitude: 440, speeds: (0, 0))
        let other = Self.candidate("V3", age: 2, altitude: altitude, speeds: (horizontal, vertical))
        for phase in [FlightPhase.landed, .unknown] {
            let rule = SondeHubChoice(followed: Self.serial("V2"), followedPhase: phase)
            #expect(rule.newest(of: [resting, other]).record?.serial == Self.serial(choice), "\(phase)")
        }
    }

    /// With two flying sondes whose newest record alternates, the first one is kept.
    @Test func twoSondesInTheAirDoNotAlternate() {
        var rule = SondeHubChoice()
        var choices: [SondeSerial] = []
        for poll in 0..<20 {
            let pair = [
                Self.candidate("V4210150", age: poll % 2 == 0 ? 2 : 3),
                Self.candidate("W1310471", age: poll % 2 == 0 ? 3 : 2),
            ]
            let record = rule.newest(of: pair).record
            if let record { choices.append(record.serial) }
            rule = SondeHubChoice(followed: record?.serial, followedPhase: poll == 0 ? .unknown : .ascending)
        }
        #expect(choices == Array(repeating: choices[0], count: 20))
    }

    /// Latitude, altitude and climb of two sondes -> the choice of a receiver at 47° north. One degree is 111 km.
    @Test(
        arguments: [
            // Both fly: the nearer one, though the other's record is newer.
            (47.1, 9000.0, 5.0, 47.9, 9000.0, 5.0, "V2"), (47.9, 9000, 5, 47.1, 9000, 5, "V3"),
            // The nearer one is below the horizon of 87 km.
            (48.0, 100, -5, 50.0, 30_000, 5, "V3"),
            // Both are below the horizon: the nearer one. None flies: the nearer one.
            (54.0, 9000, 5, 55.0, 9000, 5, "V2"), (47.5, 440, 0, 47.1, 440, 0, "V3"),
            // One flies far away, the other one has landed near.
            (47.1, 440, 0, 54.0, 9000, 5, "V3"),
        ] as [(Double, Double, Double, Double, Double, Double, String)])
    func theNearestThatCanBeHeard(
        _ latitude: Double, _ altitude: Double, _ climb: Double, _ other: Double, _ otherAltitude: Double,
        _ otherClimb: Double, _ choice: String
    ) {
        var candidates = [
            Self.candidate("V2", age: 20, altitude: altitude, speeds: (climb == 0 ? 0 : 10, climb)),
            Self.candidate("V3", age: 2, altitude: otherAltitude, speeds: (otherClimb == 0 ? 0 : 10, otherClimb)),
        ]
        candidates[0].record.coordinate = Coordinate(latitude: latitude, longitude: 8)
        candidates[1].record.coordinate = Coordinate(latitude: other, longitude: 8)
        var rule = SondeHubChoice()
        rule.place = ReceiverPlace(coordinate: Coordinate(latitude: 47, longitude: 8))
        #expect(rule.newest(of: candidates).record?.serial == Self.serial(choice))
    }

    private struct Bench: Sendable {
        var altitude = 440.0
        var uploader: Double? = 440
        var vertical: Double? = 0
        var uploaderLatitude = 47.005
        var followed: String?
        var phase = FlightPhase.unknown
        var isTest: Bool
    }

    @Test(arguments: [
        // On a table, an antenna on the roof, an unknown altitude of the uploader, an unknown speed.
        Bench(isTest: true), Bench(altitude: 200, isTest: true), Bench(uploader: nil, isTest: true),
        Bench(vertical: nil, isTest: true), Bench(followed: "V1", isTest: true),
        // Overhead, on a hill, on a mountain, climbing, falling, far away.
        Bench(altitude: 15_000, vertical: 5, isTest: false), Bench(altitude: 15_000, vertical: nil, isTest: false),
        Bench(altitude: 741, isTest: false), Bench(altitude: 2100, uploader: nil, isTest: false),
        Bench(vertical: 5, isTest: false), Bench(vertical: -8, isTest: false),
        Bench(uploaderLatitude: 47.01, isTest: false),
        // Landed beside its finder, who uploads.
        Bench(followed: "V1", phase: .landed, isTest: false), Bench(followed: "V2", phase: .landed, isTest: true),
    ]) private func groundTestsAreNotChosen(_ bench: Bench) {
        var candidate = Self.candidate("V1", age: 3, altitude: bench.altitude)
        candidate.record.verticalSpeed = bench.vertical
        candidate.record.uploader = Coordinate(latitude: bench.uploaderLatitude, longitude: 8)
        candidate.record.uploaderAltitudeMetres = bench.uploader
        var rule = SondeHubChoice(followed: bench.followed.flatMap(Self.serial), followedPhase: bench.phase)
        let choice = rule.newest(of: [candidate])
        #expect((choice.record == nil) == bench.isTest)
        #expect(choice.groundTests.map(\.record) == (bench.isTest ? [candidate.record] : []))
        rule.hunted = candidate.record.serial
        #expect(rule.newest(of: [candidate]).record == candidate.record, "a hunted one is none")
    }

    @Test func huntedSondeInOrder() throws {
        func at(_ seconds: Double) -> MonotonicTime { .zero.advanced(by: .seconds(seconds)) }
        let (pin, heard) = (try #require(SondeSerial(name: "P1", type: .rs41)), Script.record("H1").serial)
        var hunted = HuntedSonde(configured: nil)
        #expect(hunted.serial(at: .zero) == nil)
        hunted.heard(heard, at: .zero)
        #expect(hunted.serial(at: at(10_799.9)) == heard)
        #expect(hunted.serial(at: at(10_800)) == nil)
        hunted.told(heard, at: at(10_000))
        #expect(hunted.serial(at: at(20_799.9)) == heard)
        hunted.pin(pin)
        #expect(hunted.serial(at: at(99_999)) == pin)
        hunted.pin(nil)
        #expect(hunted.serial(at: at(20_000)) == heard)
    }

    /// Seconds of the gateway's time, cache age -> the age that a frame of second 0 had when SondeHub answered.
    @Test(arguments: [(100, 0, 100), (100, 60, 40), (100, 200, 0), (-5, 0, 0)] as [(Double, Double, Double)])
    func ageWhenSondeHubAnswered(_ now: Double, _ cache: Double, _ age: Double) {
        let record = Script.record("V1")
        let answer = SondeHubAnswer(records: [record], cacheAge: .seconds(cache))
        let moment = Moment(
            monotonic: .zero, wall: record.time.advanced(by: .seconds(now)), isClockSynced: true)
        #expect(answer.age(of: record, at: moment) == .seconds(age))
    }
}
