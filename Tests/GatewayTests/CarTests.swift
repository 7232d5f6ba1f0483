import GatewayTestSupport
import ReceiverProtocol
import Testing

@testable import FlightMath
@testable import Gateway
@testable import GatewayReports

/// The choice of the car's position from the fixes of its sources.
@Suite struct CarTests {
    private func source(_ script: Script) -> CarSource? { script.chase?.car?.source }

    /// A fix's accuracy, age and place -> whether it is used.
    @Test(
        arguments: [
            (5, 0, 47, 8, true), (100, 0, 47, 8, true), (100.1, 0, 47, 8, false), (.nan, 0, 47, 8, false),
            (nil, 0, 47, 8, true), (5, 10, 47, 8, true), (5, 10.1, 47, 8, false), (5, -10, 47, 8, true),
            (5, -10.1, 47, 8, false), (5, nil, 47, 8, true), (5, 0, 0, 0, false), (5, 0, .nan, 8, false),
            (-1, 0, 47, 8, true), (5, 0, 91, 8, false), (5, 0, 47, .infinity, false), (5, 0, 0, 8, true),
            (5, 1_700_000_000, 47, 8, false),
        ] as [(Double?, Double?, Double, Double, Bool)])
    func onlyGoodFixesCount(
        _ accuracy: Double?, _ age: Double?, _ latitude: Double, _ longitude: Double, _ counts: Bool
    ) {
        var script = Script()
        script.fix(at: Coordinate(latitude: latitude, longitude: longitude), accuracy: accuracy, age: age)
        #expect((script.chase?.car != nil) == counts)
    }

    /// While the machine's clock may be wrong, a fix gets the time of its arrival. Retained fixes are refused.
    @Test func aClockThatIsNotSet() {
        var script = Script(isClockSynced: false)
        script.fix(age: 1_700_000_000)
        #expect(source(script) == .gpsd)
        var kept = Script(isClockSynced: false)
        kept.fix(.owntracks, age: 5, isRetained: true)
        #expect(kept.chase?.car == nil)
        kept.fix(.owntracks, age: 5)
        #expect(source(kept) == .owntracks)
    }

    /// The age of a phone's fix counts from its own time, whether the message is retained or not.
    @Test(arguments: [
        (0, false, 60), (30, true, 30), (59, true, 1), (61, true, nil), (61, false, nil), (-86_400, true, nil),
    ])
    func aPhone(_ age: Double, _ isRetained: Bool, _ seconds: Double?) throws {
        var script = Script()
        script.fix(.owntracks, age: age, isRetained: isRetained)
        guard let seconds else { return #expect(script.chase?.car == nil) }
        #expect(source(script) == .owntracks)
        script.wait(seconds - 0.1)
        #expect(source(script) == .owntracks)
        script.wait(1.1)
        #expect(script.chase?.car == nil)
    }

    @Test func aRetainedFixWithoutATimeIsRefused() {
        var script = Script()
        script.fix(.owntracks, age: nil, isRetained: true)
        #expect(script.chase?.car == nil)
    }

    /// A source whose time stands still becomes too old.
    @Test func timeThatStandsStill() {
        var script = Script()
        let started = script.now.wall
        for _ in 0..<9 {
            let age = script.now.wall.duration(since: started).inSeconds
            script.fix(age: age)
            script.wait(1)
        }
        #expect(source(script) == .gpsd)
        script.fix(age: 9)
        script.wait(2)
        #expect(script.chase?.car == nil)
    }

    /// Of several messages of one epoch the later ones complete the first.
    @Test func severalOfOneEpoch() {
        var script = Script()
        script.fix(altitude: nil, speed: 12, course: 45)
        script.wait(1)
        script.fix(altitude: 450, speed: nil, course: nil, age: 1)
        script.wait(1)
        #expect(script.chase?.car?.altitudeMetres == 450)
        #expect(script.chase?.car?.speed == 12 && script.chase?.car?.courseDegrees == 45)
        script.wait(8)
        #expect(script.chase?.car == nil)
    }

    @Test func timeThatGoesBack() {
        var script = Script(isClockSynced: false)
        script.fix(age: 0)
        script.wait(1)
        script.fix(at: Coordinate(latitude: 48, longitude: 8), age: 5)
        #expect(script.chase?.car?.coordinate.latitude == 47)
        // The source was silent, and its clock was set meanwhile.
        script.wait(15)
        script.fix(at: Coordinate(latitude: 47.005, longitude: 8), age: 3600)
        #expect(script.chase?.car?.coordinate.latitude == 47.005)
    }

    private func latitude(_ script: Script) -> Double? { script.chase?.car?.coordinate.latitude }

    /// The machine's clock is not set. A single message with a wrong time is refused; the messages after it are used.
    @Test(arguments: [CarSource.owntracks, .gpsd], [-86_400, 1_767_268_800] as [Double])
    func oneWrongTime(_ source: CarSource, _ age: Double) {
        var script = Script(isClockSynced: false)
        for step in 0..<5 {
            script.fix(source, at: Coordinate(latitude: 47 + Double(step) / 1000, longitude: 8))
            #expect(latitude(script) == 47 + Double(step) / 1000)
            script.wait(4)
        }
        script.fix(source, at: Coordinate(latitude: 50, longitude: 8), age: age)
        #expect(latitude(script) == 47.004)
        script.wait(4)
        script.fix(source, at: Coordinate(latitude: 47.006, longitude: 8))
        #expect(latitude(script) == 47.006)
    }

    /// The very first message has the wrong time. It is used with the time of its arrival, until two messages have come
    /// that continue one another.
    @Test(arguments: [CarSource.owntracks, .gpsd], [-86_400, 1_767_268_800] as [Double])
    func theFirstTimeIsWrong(_ source: CarSource, _ age: Double) {
        var script = Script(isClockSynced: false)
        script.fix(source, at: Coordinate(latitude: 47.0005, longitude: 8), age: age)
        #expect(latitude(script) == 47.0005 && script.chase?.car?.time == script.now.wall)
        for isRight in [false, true] {
            script.wait(0.5)
            script.fix(source)
            script.wait(0.5)
            script.fix(source)
            script.wait(1)
            #expect((latitude(script) == 47) == isRight)
        }
    }

    /// A phone sends fixes that it stored in a tunnel. The published times don't go back.
    @Test func keptInATunnel() {
        var script = Script(isClockSynced: false)
        script.fix(.owntracks)
        script.wait(1)
        for age in [400.0, 395, 390, 385] {
            script.fix(.owntracks, at: Coordinate(latitude: 48, longitude: 8), age: age)
            script.advance(0.1)
        }
        #expect(latitude(script) == 47)
    }

    @Test func onlyTheSourcesOfTheList() {
        var script = Script(chase: ChaseOptions(sources: [.owntracks]))
        script.fix(.gpsd)
        #expect(script.chase?.car == nil)
        script.fix(.owntracks)
        #expect(source(script) == .owntracks)
    }

    /// After a SIGHUP another order, or the removal of a source, takes effect at once.
    @Test func anotherList() {
        var script = Script()
        for _ in 0..<15 {
            script.wait(1)
            script.fix(.gpsd)
            script.fix(.rdz, age: nil)
        }
        #expect(source(script) == .gpsd)
        script.run(.chaseChanged(ChaseOptions(sources: [.rdz, .gpsd]), []))
        script.wait(1)
        #expect(source(script) == .rdz)
        script.fix(.gpsd)
        script.run(.chaseChanged(ChaseOptions(sources: [.gpsd]), []))
        script.wait(1)
        #expect(source(script) == .gpsd)
        script.run(.chaseChanged(ChaseOptions(sources: [.owntracks]), []))
        script.wait(1)
        #expect(script.chase?.car == nil)
    }

    /// gpsd is not used again with its first fix, nor while it comes and goes.
    @Test func twoSourcesDoNotAlternate() {
        var script = Script()
        script.fix(.gpsd)
        for second in 0..<40 {
            script.wait(1)
            script.fix(.rdz, age: nil)
            // gpsd is back for 5 s in every 20 s.
            if second % 20 >= 15 { script.fix(.gpsd) }
            if second >= 10 { #expect(source(script) == .rdz, "\(second)") }
        }
        for second in 0..<12 {
            script.wait(1)
            script.fix(.rdz, age: nil)
            script.fix(.gpsd)
            if second >= 11 { #expect(source(script) == .gpsd) }
        }
        // When the best source is too old, the next one is used at once.
        for _ in 0..<11 {
            script.wait(1)
            script.fix(.rdz, age: nil)
        }
        #expect(source(script) == .rdz)
    }

    /// A source with a fix every two seconds (mode 2, 1, 2, 1 …) is used.
    @Test func aFlappingSource() {
        var script = Script()
        for _ in 0..<20 {
            script.fix()
            #expect(source(script) == .gpsd)
            script.wait(2)
        }
    }

    /// Below 5 km/h the course is that of the last drive.
    @Test func theHeldCourse() {
        var script = Script()
        script.fix(speed: 1, course: 200)
        #expect(script.chase?.car?.courseDegrees == nil && script.chase?.car?.isCourseHeld == false)
        script.wait(1)
        script.fix(speed: 5 / 3.6, course: 90)
        #expect(script.chase?.car?.courseDegrees == 90 && script.chase?.car?.isCourseHeld == false)
        script.wait(1)
        script.fix(speed: 1.3, course: 200)
        #expect(script.chase?.car?.courseDegrees == 90 && script.chase?.car?.isCourseHeld == true)
        script.wait(1)
        script.fix(speed: 10, course: -90)
        #expect(script.chase?.car?.courseDegrees == 270)
        // An old course is never used.
        script.wait(12)
        script.fix(speed: 0, course: nil)
        #expect(script.chase?.car != nil && script.chase?.car?.courseDegrees == nil)
    }

    /// If a source sends neither speed nor course, they are computed from its fixes.
    @Test func speedFromTheWay() throws {
        var script = Script()
        script.fix(.rdz, speed: nil, course: nil, age: nil)
        script.wait(2)
        script.fix(.rdz, at: Script.car.moved(east: 40, north: 0), speed: nil, course: nil, age: nil)
        let car = try #require(script.chase?.car)
        #expect(abs(try #require(car.speed) - 20) < 0.1)
        #expect(abs(try #require(car.courseDegrees) - 90) < 0.1)
    }

    /// A phone that sends neither speed nor course stops at a kerb: its fixes wander by some metres. The arrow keeps the
    /// course of the drive, and the speed becomes small.
    @Test func atAKerbTheCourseStays() throws {
        var script = Script()
        for second in 0..<10 {
            script.fix(
                .rdz, at: Script.car.moved(east: Double(second) * 15, north: 0), speed: nil, course: nil, age: nil)
            script.wait(1)
        }
        let driven = try #require(script.chase?.car)
        let (course, speed) = (try #require(driven.courseDegrees), try #require(driven.speed))
        #expect(abs(course - 90) < 1 && abs(speed - 15) < 1)
        for second in 0..<40 {
            let wander = [(0.0, 0.0), (2, 3), (-3, 1), (1, -4)][second % 4]
            script.fix(
                .rdz, at: Script.car.moved(east: 135 + wander.0, north: wander.1), speed: nil, course: nil, age: nil)
            script.wait(1)
            #expect(abs((script.chase?.car?.courseDegrees ?? 0) - 90) < 1, "\(second)")
        }
        #expect((script.chase?.car?.speed ?? 99) < 1)
    }

    /// An impossible speed and a negative accuracy count as unknown.
    @Test func impossibleValuesAreIgnored() throws {
        var script = Script()
        script.fix(.owntracks, speed: nil, course: nil, accuracy: -1)
        script.wait(1)
        var car = try #require(script.chase?.car)
        #expect(car.accuracyMetres == nil && car.speed == nil && car.courseDegrees == nil)
        script.fix(.owntracks, at: Script.car.moved(east: 20, north: 0), speed: 101)
        script.wait(1)
        car = try #require(script.chase?.car)
        #expect(try #require(car.speed) < 21)
    }

    @Test func healthCountsRefusedFixes() throws {
        var script = Script()
        script.fix()
        script.fix(accuracy: 500)
        script.fix(.owntracks, age: 3600)
        let report = script.health()
        let health = try #require(report)
        #expect(health.car.source == .gpsd)
        #expect(health.car.used == [.gpsd: 1])
        #expect(health.car.refused == [.inaccurate: 1, .wrongTime: 1])
        script.run(.carConnection(.gpsd, isOpen: true))
        #expect(script.health()?.car.connected == [.gpsd])
        script.run(.carConnection(.gpsd, isOpen: false))
        #expect(script.health()?.car.connected == [])
    }

    /// The memory does not grow: 24 hours with a gpsd that comes and goes, a route server, and a sonde that was heard
    /// once. After the first hour the machine keeps no more values.
    @Test func aDayOfComingAndGoing() throws {
        var script = Script(chase: ChaseOptions(route: RouteOptions(engine: .valhalla)))
        script.connect()
        for _ in 0..<3 { script.frame(Script.position()) }
        script.command("{\"landing_point\":{\"latitude\":47.1,\"longitude\":8.2}}")
        var place = Script.car
        var kept: [Int] = []
        for minute in 0..<1440 {
            if minute % 3 != 1 { script.run(.carConnection(.gpsd, isOpen: minute % 3 == 0)) }
            for second in stride(from: 0, to: 60, by: 5) {
                // The car drives in circles.
                place = place.moved(east: minute % 60 < 30 ? 20 : -20, north: minute % 20 < 10 ? 5 : -5)
                let outcome = minute % 3 != 2 ? script.fix(at: place) : script.wait(0)
                for call in outcome.routes {
                    let line = try #require(RouteLine([call.query.start, call.query.end]))
                    let road = RoadRoute(
                        distanceMetres: 20_000, duration: .seconds(1200), line: line, endGapMetres: 10)
                    script.run(.answered(call.id, .route(.road(road))))
                }
                if second == 0 { script.frame(Script.searching) }
                script.wait(5)
            }
            if minute % 60 == 59 { kept.append(valuesKept(in: script.machine)) }
        }
        #expect(script.timers.count <= TimerID.allCases.count)
        #expect(script.chase?.car == nil)
        #expect(kept.count == 24 && kept.dropFirst().allSatisfy { $0 <= kept[0] }, "\(kept)")
    }

    /// Counts all values inside a value.
    private func valuesKept(in value: Any) -> Int {
        Mirror(reflecting: value).children.reduce(1) { $0 + valuesKept(in: $1.value) }
    }

    /// If nothing comes on the phone's topic for five minutes, the log says so once and names the topic.
    @Test(arguments: [nil, 100.0, 400]) func aPhoneOnAnotherTopicIsTold(_ heardAfter: Double?) {
        var script = Script(chase: ChaseOptions(phoneTopic: "owntracks/crew/phone1"))
        var outcome = script.wait(heardAfter ?? 299)
        if heardAfter != nil { outcome += script.fix(.owntracks) }
        outcome += script.wait(3600)
        let notes = outcome.notes.filter { $0.message.contains("nothing has come from the phone") }
        #expect(notes.count == (heardAfter == 100 ? 0 : 1))
        #expect(notes.first.map { $0.facts.first?.value == "owntracks/crew/phone1" && $0.level == .warning } ?? true)
    }
}
