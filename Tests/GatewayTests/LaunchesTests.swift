import FlightMath
import Foundation
import GatewayReports
import GatewayTestSupport
import ReceiverProtocol
import Testing

@testable import Gateway

/// The next launches and where their sondes should land. The scripts begin on Thursday
/// 2026-01-01 at noon.
@Suite struct LaunchesTests {
    private static func options(
        alarmKilometres: Double? = nil, place: Coordinate? = Coordinate(latitude: 47, longitude: 8)
    ) -> SondeHubOptions {
        var options = SondeHubOptions.payerne
        options.place = place
        options.alarmMetres = alarmKilometres.map { $0 * 1000 }
        return options
    }

    private static func site(
        _ id: String = "06610", _ name: String = "Payerne", latitude: Double = 46.81, times: [String] = ["0:23:00"]
    ) -> LaunchSite {
        var site = LaunchSite(
            id, name: name, coordinate: Coordinate(latitude: latitude, longitude: 6.94), altitudeMetres: 490,
            times: times.compactMap(LaunchSite.Time.init))
        (site.ascentRate, site.descentRate, site.burstAltitudeMetres) = (5, 6, 33_000)
        return site
    }

    private static func siteCalls(_ outcome: Script.Outcome) -> [CallID] {
        outcome.actions.compactMap { if case .call(let id, .sites) = $0 { id } else { nil } }
    }

    private static func script(
        _ sites: [LaunchSite] = [site()], _ options: SondeHubOptions = options(),
        prediction: PredictionOptions = PredictionOptions()
    ) throws -> (script: Script, after: Script.Outcome) {
        var script = Script(sondeHub: options, prediction: prediction)
        script.brokerConnected()
        let id = try #require(siteCalls(script.begin).first)
        let after = script.run(.answered(id, .sites(sites)))
        return (script, after)
    }

    /// Processor time of 300 frames, seconds: the best of several runs, with these sites around.
    private static func framesTime(_ sites: [LaunchSite]) throws -> Double {
        var prediction = PredictionOptions()
        prediction.asksTawhiri = false
        var best = Double.infinity
        for _ in 0..<7 {
            var script = try Self.script(sites, prediction: prediction).script
            script.connect()
            script.frame(Script.position())
            let start = processorNanoseconds(CLOCK_THREAD_CPUTIME_ID)
            for second in 0..<300 {
                script.advance(1)
                script.frame(Script.position(altitude: 500 + second * 5, up: 5))
            }
            best = min(best, Double(processorNanoseconds(CLOCK_THREAD_CPUTIME_ID) - start) / 1e9)
        }
        return best
    }

    private static func processorNanoseconds(_ clock: clockid_t) -> Int {
        var time = timespec()
        clock_gettime(clock, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }

    /// Launches are planned by the minute and not with each frame, so many sites cost next to nothing. The machine's
    /// other work may disturb one measurement, so the best of three counts.
    @Test func manySitesDoNotSlowAFrame() throws {
        let many = (0..<31).map { index in
            Self.site(
                "0\(index)", "Site \(index)", latitude: 46 + Double(index) / 20,
                times: ["0:00:00", "0:06:00", "0:12:00", "0:18:00"])
        }
        var ratio = Double.infinity
        for _ in 0..<3 where ratio > 1.5 {
            ratio = min(ratio, try Self.framesTime(many) / Self.framesTime([Self.site()]))
        }
        #expect(ratio <= 1.5, "31 sites take \(ratio) times as long as one")
    }

    private static func launches(_ script: Script) -> [LaunchesReport.Launch] {
        if case .launches(let report) = script.newest[.launches] { report.launches } else { [] }
    }

    /// Answers each question for a launch; the sonde lands this far north of its site.
    private static func answer(
        _ outcome: Script.Outcome, _ script: inout Script, metres: Double = 20_000
    ) -> Script.Outcome {
        var all = Script.Outcome()
        var next = outcome
        while let question = next.questions.first {
            next = script.run(
                .answered(
                    question.id,
                    .prediction(Chased.prediction(from: question.query.launch, metres, at: question.query.launchAt))))
            all += next
        }
        return all
    }

    /// The winds along a launch's path are stored, dated by the launch. So a box that had a network at breakfast has a
    /// forecast in the valley at noon, also after a restart.
    @Test func theWindsOfALaunchAreStored() throws {
        let pad = Coordinate(latitude: 46.99, longitude: 8.5)
        var site = LaunchSite("06610", name: "Pad", coordinate: pad, altitudeMetres: 490, times: [])
        site.times = [try #require(LaunchSite.Time("0:13:00"))]
        var (script, outcome) = try Self.script([site], Self.options(alarmKilometres: 50))
        outcome += script.wait(1)
        let question = try #require(outcome.questions.first)
        var points: [OnlinePrediction.Point] = []
        var (place, altitude) = (pad, 490.0)
        for minute in 0..<200 where altitude >= 490 {
            points.append(
                OnlinePrediction.Point(
                    time: question.query.launchAt.advanced(by: .seconds(minute * 60)), coordinate: place,
                    altitudeMetres: altitude))
            place = place.moved(east: 1200, north: 0)
            altitude += minute < 100 ? 300 : -600
        }
        let answer = OnlinePrediction(path: points, burst: points[100], landing: points[points.count - 1])
        let answered = script.run(.answered(question.id, .prediction(answer)))
        let stored = answered.entries.compactMap { if case .winds(let winds) = $0 { winds } else { nil } }
        let winds = try #require(stored.first)
        #expect(stored.count == 1 && winds.origin == .forecast && winds.at == question.query.launchAt)
        #expect(winds.place.distanceMetres(to: pad) < 1 && winds.topMetres > 29_000)
        var memory = GatewayMemory()
        memory.winds = [winds]
        var chased = Chased(altitude: 500, prediction: .ownWindsOnly, memory: memory)
        chased.go(120, up: 5)
        let sources = try #require(chased.prediction).forecast.prediction.inputs.winds
        #expect(sources.other == .forecast && sources.otherSerial == nil)
    }

    /// SondeHub's texts -> the launches from Thursday noon on, hours later. A sonde starts 45 minutes before its hour.
    @Test(
        arguments: [
            (["0:12:45", "0:00:00"], [0.0, 11.25]), (["0:23:15"], [10.5]), (["4:13:00"], [0.25]),
            (["5:00:00"], [11.25]), (["5:00:45"], [12]), (["5:00:46"], []), (["4:00:30"], []),
            (["5:13:00"], []), (["3:13:00"], []), (["0:12:44"], []), ([], []), (["0:12:45", "4:12:45"], [0]),
            (["8:12:45"], []), (["0:24:00"], []), (["0:12"], []), (["0:12:60"], []), (["x:12:45", "0:13:00"], [0.25]),
            (["0::"], []), (["-1:12:00"], []),
        ] as [([String], [Double])])
    func times(_ texts: [String], _ hours: [Double]) {
        let noon = WallTime(millisecondsSince1970: Script.noon)
        let site = Self.site(times: texts)
        let found = site.launches(from: noon, through: noon.advanced(by: Launches.ahead))
        #expect(found.map { $0.duration(since: noon).inSeconds / 3600 } == hours)
    }

    /// The sites are fetched once a day and kept over a restart. The launches of the sites around are reported, the
    /// next launch first.
    @Test func theSitesAround() throws {
        let far = Self.site("1", "Far", latitude: 55, times: ["0:13:00"])
        let near = Self.site("2", "Near", latitude: 47, times: ["0:18:00"])
        let silent = Self.site("3", "Silent", latitude: 47, times: [])
        var (script, after) = try Self.script([far, Self.site(), near, silent])
        #expect(Self.launches(script).map(\.name) == ["Near", "Payerne"])
        #expect(Self.launches(script).map(\.landing) == [nil, nil])
        let stored = after.entries.compactMap { entry -> String? in
            if case .setting(.launchSites, let text) = entry { text } else { nil }
        }.last
        #expect(Self.siteCalls(script.wait(86_000)).isEmpty)
        #expect(Self.siteCalls(script.wait(500)).count == 1)
        var memory = GatewayMemory()
        memory.settings[.launchSites] = stored
        var next = Script(sondeHub: Self.options(), memory: memory)
        #expect(Self.siteCalls(next.begin + next.wait(3600)).isEmpty)
        #expect(Self.launches(next).map(\.name) == ["Near", "Payerne"])
        #expect(next.machine.launches.book == script.machine.launches.book)
    }

    /// Tawhiri is asked after a command, while a page is open or if an alarm is set, and otherwise not.
    @Test(arguments: ["nobody", "command", "page", "alarm", "off"]) func whenTawhiriIsAsked(_ who: String) throws {
        var prediction = PredictionOptions()
        prediction.asksTawhiri = who != "off"
        var (script, outcome) = try Self.script(
            [Self.site()], Self.options(alarmKilometres: who == "alarm" ? 30 : nil), prediction: prediction)
        if who == "command" || who == "off" {
            let done = script.command(#"{"request":"launches"}"#)
            #expect(done.answers == ["done!"])
            outcome += done
        }
        if who == "page" { outcome += script.run(.pageWatched(true)) }
        outcome += script.wait(60)
        #expect(outcome.questions.count == (who == "nobody" || who == "off" ? 0 : 1))
        guard let question = outcome.questions.first else { return }
        #expect(question.query.launchAt.iso8601 == "2026-01-01T22:15:00.000Z")
        #expect(question.query.burstAltitudeMetres == 33_000 && question.query.launchAltitudeMetres == 490)
        _ = Self.answer(outcome, &script)
        let launch = try #require(Self.launches(script).first)
        #expect(launch.landing?.radiusMetres ?? 0 >= 1000)
        #expect(launch.distanceMetres ?? 0 > 50_000)
        let (landing, drive) = (try #require(launch.landing), try #require(launch.drive))
        #expect(launch.margin == landing.at.duration(since: script.now.wall.advanced(by: drive)))
        // One call a launch.
        #expect(script.wait(3000).questions.isEmpty)
    }

    /// At most eight calls an hour, the next launches first; the rest follow later.
    @Test func eightCallsAnHour() throws {
        let sites = (0..<12).map {
            Self.site("\($0)", "Site \($0)", latitude: 47 + Double($0) / 10, times: ["0:20:0\($0 % 6)"])
        }
        var (script, outcome) = try Self.script(sites, Self.options(alarmKilometres: 1))
        var asked = outcome.questions.count
        for _ in 0..<3500 {
            let answered = Self.answer(outcome, &script)
            asked += answered.questions.count
            outcome = script.wait(1)
            asked += outcome.questions.count
        }
        #expect(asked == 8)
        for _ in 0..<200 {
            asked += Self.answer(outcome, &script).questions.count
            outcome = script.wait(1)
            asked += outcome.questions.count
        }
        #expect(asked == 12)
    }

    /// The alarm's distance in kilometres -> whether the launch is announced; never twice, also after a restart.
    @Test(arguments: [(30.0, true), (5.0, false)]) func theAlarm(_ kilometres: Double, _ isSaid: Bool) throws {
        let place = Coordinate(latitude: 46.9, longitude: 6.94)
        var (script, outcome) = try Self.script(
            [Self.site()], Self.options(alarmKilometres: kilometres, place: place))
        let said = Self.answer(outcome, &script)
        #expect(said.told(.launchNear).count == (isSaid ? 1 : 0))
        outcome = script.run(.pageWatched(true)) + script.command(#"{"request":"launches"}"#) + script.wait(7200)
        #expect(outcome.told(.launchNear).isEmpty)
        guard isSaid else { return }
        #expect(
            said.told(.launchNear).first?.english
                == "The 23 UTC sonde from Payerne should land 10 kilometres from here.")
        var memory = GatewayMemory()
        memory.settings[.launchSites] = script.machine.launches.book.stored
        var next = Script(
            sondeHub: Self.options(alarmKilometres: 30, place: place), prediction: PredictionOptions(), memory: memory)
        #expect(Self.answer(next.begin + next.wait(1), &next).told(.launchNear).isEmpty)
    }

    /// After a failure the next question comes a quarter of an hour later. A refused launch is not asked for again.
    @Test(arguments: [(OnlineServiceError.Code.status, true), (.refused, false)])
    func failures(_ code: OnlineServiceError.Code, _ isAskedAgain: Bool) throws {
        var (script, outcome) = try Self.script([Self.site()], Self.options(alarmKilometres: 30))
        let question = try #require(outcome.questions.first)
        outcome = script.run(.answered(question.id, .failed(OnlineServiceError(code, "no"))))
        #expect((outcome + script.wait(890)).questions.isEmpty)
        let retried = script.wait(20).questions
        #expect(retried.isEmpty != isAskedAgain)
        if let retry = retried.first {
            script.run(.answered(retry.id, .failed(OnlineServiceError(code, "no"))))
            // A command asks at once.
            #expect(script.command(#"{"request":"launches"}"#).questions.count == 1)
        }
        var first = Script(sondeHub: Self.options())
        let id = try #require(Self.siteCalls(first.begin).first)
        first.run(.answered(id, .failed(OnlineServiceError(code, "no"))))
        #expect(Self.siteCalls(first.wait(890)).isEmpty)
        #expect(Self.siteCalls(first.wait(20)).count == 1)
    }

    /// Around a launch the site is polled every 5 minutes even if its newest sonde is old, else every 15 minutes.
    @Test(arguments: [("0:12:30", 300.0), ("0:12:00", 300), ("0:15:00", 900)])
    func theCadence(_ time: String, _ seconds: Double) throws {
        var (script, _) = try Self.script([Self.site(times: [time])])
        script.answerPoll([Script.record("V1", at: -20_000)])
        #expect(script.machine.sondeHub.poll.interval == .seconds(seconds))
    }

    private static func routes(_ outcome: Script.Outcome) -> [(id: CallID, query: RouteQuery)] {
        outcome.actions.compactMap { if case .call(let id, .route(let query)) = $0 { (id, query) } else { nil } }
    }

    /// The route server gives the drive, with one call for each landing. From another start it is asked again. Without
    /// a road, and while the server fails, the detour rule gives the drive.
    @Test(arguments: ["road", "none", "failure"]) func theDrive(_ answer: String) throws {
        let place = Coordinate(latitude: 46.9, longitude: 6.94)
        var script = Script(
            sondeHub: Self.options(alarmKilometres: 1, place: place), prediction: PredictionOptions(),
            chase: ChaseOptions(route: RouteOptions(engine: .valhalla)))
        script.brokerConnected()
        let sites = try #require(Self.siteCalls(script.begin).first)
        let asked = script.run(.answered(sites, .sites([Self.site(times: ["0:22:00", "0:23:00"])])))
        var outcome = Self.answer(asked, &script)
        let straight = try #require(Self.launches(script).first?.drive)
        let line = try #require(RouteLine([place, Coordinate(latitude: 46.99, longitude: 6.94)]))
        var queries: [RouteQuery] = []
        for _ in 0..<3000 {
            for route in Self.routes(outcome) {
                queries.append(route.query)
                let road = RoadRoute(distanceMetres: 15_000, duration: .seconds(1200), line: line, endGapMetres: 400)
                script.run(
                    .answered(
                        route.id,
                        answer == "road"
                            ? .route(.road(road))
                            : answer == "none"
                                ? .route(.noRoad(.noRoute)) : .failed(OnlineServiceError(.unreachable, "down"))))
            }
            outcome = script.wait(1)
        }
        #expect(queries.count == (answer == "failure" ? 4 : 2) && queries.allSatisfy { $0.start == place })
        let drives = Self.launches(script).map(\.drive)
        // 400 m on foot take 6 minutes.
        #expect(drives == Array(repeating: answer == "road" ? .seconds(1560) : straight, count: 2))
        let launch = try #require(Self.launches(script).first)
        #expect(launch.distanceMetres.map { Int(($0 / 1000).rounded()) } == 10)
        guard answer == "road" else { return }
        let moved = script.fix(at: place.moved(east: 6000, north: 0)) + script.wait(30)
        #expect(Self.routes(moved).count == 1)
    }

    /// Another site, another home, a larger radius, or a car far from home -> whether the stored sites are fetched
    /// anew.
    @Test(
        arguments: [
            ("", false), ("near", false), ("site", true), ("place", true), ("radius", true), ("smaller", false),
            ("car", true),
        ])
    func anotherArea(_ change: String, _ isFetched: Bool) throws {
        let other = Self.site("10393", "Lindenberg", latitude: 52.2)
        let (_, after) = try Self.script([Self.site(), other])
        let stored = after.entries.compactMap { entry -> String? in
            if case .setting(.launchSites, let text) = entry { text } else { nil }
        }.last
        var options = Self.options()
        if change == "site" { options.site = "10393" }
        if change == "place" { options.place = Coordinate(latitude: 52.2, longitude: 14.1) }
        if change == "near" { options.place = Coordinate(latitude: 47.4, longitude: 8) }
        if change == "radius" { options.radiusMetres *= 2 }
        if change == "smaller" { options.radiusMetres /= 2 }
        var next = Script(
            sondeHub: options, memory: GatewayMemory(settings: [.launchSites: try #require(stored)]))
        var outcome = next.begin + next.wait(60)
        if change == "car" { outcome += next.fix(at: Coordinate(latitude: 49, longitude: 8)) + next.wait(10) }
        #expect(Self.siteCalls(outcome).count == (isFetched ? 1 : 0))
        guard let call = Self.siteCalls(outcome).first else { return }
        next.run(.answered(call, .sites([Self.site(), other])))
        if change == "site" { #expect(Self.launches(next).map(\.name).contains("Lindenberg")) }
        #expect(Self.siteCalls(next.wait(3600)).isEmpty)
    }

    @Test func withSondeHubOffNothingIsAsked() {
        var script = Script()
        #expect(Self.siteCalls(script.begin + script.wait(100_000)).isEmpty)
        #expect(script.command(#"{"request":"launches"}"#).answers == ["rejected:unavailable!"])
    }

    @Test func damagedMemory() {
        for text in ["", "7", "{}", #"{"at":"x","sites":[7,{"id":1}],"told":[3]}"#] {
            #expect((LaunchBook(stored: text) ?? LaunchBook()) == LaunchBook(), "\(text)")
        }
    }
}
