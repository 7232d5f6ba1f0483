import Foundation
import GatewayTestSupport
import ReceiverProtocol
import TestSupport
import Testing

@testable import FlightMath
@testable import Gateway
@testable import GatewayReports

/// The known winds above a climbing sonde, and their origin.
@Suite struct WindMemoryTests {
    private static let start = Coordinate(latitude: 47, longitude: 8.54)

    private static func winds(
        _ serial: String, hoursOld hours: Double, north kilometres: Double = 0, top: Double = 20_000,
        origin: StoredWinds.Origin = .flight
    ) throws -> StoredWinds {
        let layers = stride(from: 125.0, through: top, by: 250).map {
            StoredWinds.Layer(altitudeMetres: $0, east: 20, north: 0, seconds: 50)
        }
        return StoredWinds(
            origin: origin, serial: try #require(SondeSerial(name: serial, type: .rs41)),
            place: start.moved(east: 0, north: kilometres * 1000),
            at: WallTime(millisecondsSince1970: Script.noon - Int64(hours * 3_600_000)), layers: layers)
    }

    private static func memory(_ winds: [StoredWinds]) -> GatewayMemory {
        var memory = GatewayMemory()
        memory.winds = winds
        return memory
    }

    /// Two minutes of climb with a memory.
    private static func chased(
        _ winds: [StoredWinds], prediction: PredictionOptions = .ownWindsOnly, sondeHub: SondeHubOptions = .off
    ) -> Chased {
        Chased(prediction: prediction, sondeHub: sondeHub, memory: memory(winds))
    }

    private static var borrowing: PredictionOptions {
        var options = PredictionOptions.ownWindsOnly
        options.borrowsWinds = true
        return options
    }

    /// The newest winds within 120 km and 31 days that reach above the sonde are used, but not this flight's own.
    @Test func theChoice() throws {
        let table: [([StoredWinds], String?)] = [
            ([], nil),
            ([try Self.winds("V1", hoursOld: 12)], "V1"),
            ([try Self.winds("V1", hoursOld: 12), try Self.winds("V2", hoursOld: 6)], "V2"),
            ([try Self.winds("V1", hoursOld: 12), try Self.winds("V2", hoursOld: 6, north: 121)], "V1"),
            ([try Self.winds("V1", hoursOld: 12), try Self.winds("V2", hoursOld: 6, north: -119)], "V2"),
            ([try Self.winds("V1", hoursOld: 12), try Self.winds("V2", hoursOld: 6, top: 1500)], "V1"),
            ([try Self.winds("V1", hoursOld: 30 * 24)], "V1"),
            ([try Self.winds("V1", hoursOld: 32 * 24)], nil),
            ([try Self.winds("V4210150", hoursOld: -0.01)], nil),
            ([try Self.winds("V4210150", hoursOld: 1)], "V4210150"),
            ([try Self.winds("V4210150", hoursOld: 7 * 24)], "V4210150"),
        ]
        for (index, (winds, serial)) in table.enumerated() {
            var chased = Self.chased(winds)
            chased.go(120, up: 5)
            let sources = try #require(chased.prediction).forecast.prediction.inputs.winds
            #expect(sources.otherSerial?.canonical == serial, "row \(index)")
            #expect(sources.other == (serial == nil ? nil : .flight), "row \(index)")
        }
    }

    /// `inputs.winds` as it is published.
    @Test func theInputs() throws {
        var chased = Self.chased([try Self.winds("V1", hoursOld: 12)])
        let outcome = chased.go(120, up: 5)
        let object = try #require(outcome.objects(on: "/prediction").last)
        let winds = try #require((object["inputs"] as? [String: Any])?["winds"] as? [String: Any])
        #expect(winds["own_top_m"] as? Double == 1250)
        #expect(winds["other"] as? String == "flight" && winds["other_serial"] as? String == "V1")
        #expect(winds["other_age_h"] as? Double == 12)
        var falling = Self.chased([try Self.winds("V1", hoursOld: 12)])
        falling.altitude = 9000
        let object2 = try #require(falling.fall(to: 7000).objects(on: "/prediction").last)
        let none = try #require((object2["inputs"] as? [String: Any])?["winds"] as? [String: Any])
        #expect(none["other"] is NSNull && none["other_age_h"] is NSNull && none["other_serial"] is NSNull)
    }

    /// The flight's winds are published, retained and stored once a minute. The next sonde begins without winds.
    @Test func theReport() throws {
        var chased = Self.chased([])
        let outcome = chased.go(301, up: 5, north: 10)
        let stored = outcome.entries.compactMap { if case .winds(let winds) = $0 { winds } else { nil } }
        #expect((4...6).contains(stored.count))
        #expect(outcome.messages(on: "/winds").count == stored.count)
        let last = try #require(outcome.messages(on: "/winds").last)
        #expect(last.isRetained)
        let rows = try #require(last.object?["layers"] as? [[Double]])
        #expect(rows.count == stored.last?.layers.count && rows.count >= 4)
        for row in rows { #expect(row.count == 4 && abs(row[1]) < 0.1 && abs(row[2] - 10) < 0.3 && row[3] >= 2) }
        #expect(rows.map { $0[0] } == rows.map { $0[0] }.sorted())
        var other = Script.Outcome()
        for _ in 0..<3 {
            other += chased.script.wait(1)
            other += chased.script.frame(Script.position("V9", frequency: "404.000", latitude: "47.1"))
        }
        #expect(other.texts(on: "/winds").last == "{\"layers\":[]}")
    }

    /// A flight's winds teach the next one, in the same run and after a restart.
    @Test func theNextFlight() throws {
        var first = Self.chased([])
        let outcome = first.go(1200, up: 5)
        let stored = outcome.entries.compactMap { if case .winds(let winds) = $0 { winds } else { nil } }
        var newest = try #require(stored.last)
        #expect(newest.topMetres > 6000 && newest.place.distanceMetres(to: Self.start) < 1000)
        newest.at = newest.at.advanced(by: .seconds(-7200))
        var next = Chased("V9", prediction: .ownWindsOnly, memory: Self.memory([newest]))
        next.go(120, up: 5)
        #expect(next.prediction?.forecast.prediction.inputs.winds.otherSerial?.canonical == "V4210150")
    }

    /// The winds along Tawhiri's path are kept, and used for the own prediction beside Tawhiri's.
    @Test func theForecast() throws {
        var options = PredictionOptions()
        options.asksSondeHub = false
        var chased = Self.chased([], prediction: options)
        let asked = try #require(chased.go(15, up: 5).questions.first)
        var points: [OnlinePrediction.Point] = []
        var (place, time, altitude) = (asked.query.launch, asked.query.launchAt, asked.query.launchAltitudeMetres)
        for step in 0..<120 {
            points.append(OnlinePrediction.Point(time: time, coordinate: place, altitudeMetres: altitude))
            (place, time) = (place.moved(east: 1800, north: 0), time.advanced(by: .seconds(60)))
            altitude += step < 80 ? 300 : -600
        }
        let answer = OnlinePrediction(path: points, burst: points[80], landing: points[119])
        let outcome = chased.script.run(.answered(asked.id, .prediction(answer)))
        let stored = outcome.entries.compactMap { if case .winds(let winds) = $0 { winds } else { nil } }
        let forecast = try #require(stored.first { $0.origin == .forecast })
        #expect(forecast.topMetres > 20_000 && forecast.layers.allSatisfy { abs($0.east - 30) < 0.5 })
        chased.go(120, up: 5)
        let own = try #require(chased.prediction?.ownWinds).prediction
        #expect(own.inputs.winds.other == .forecast && own.inputs.winds.otherSerial == nil)
    }

    private static func path(_ query: TawhiriQuery, burst: Int, east: Double) -> OnlinePrediction {
        var points: [OnlinePrediction.Point] = []
        var (place, time, altitude) = (query.launch, query.launchAt, query.launchAltitudeMetres)
        for step in 0..<1000 where altitude > 0 {
            points.append(OnlinePrediction.Point(time: time, coordinate: place, altitudeMetres: altitude))
            (place, time) = (place.moved(east: east * 60, north: 0), time.advanced(by: .seconds(60)))
            altitude += step < burst ? 300 : -360
        }
        return OnlinePrediction(
            path: points, burst: burst > 0 ? points[burst] : nil, landing: points[points.count - 1])
    }

    /// An online answer in the fall is joined with the own winds. Its winds replace those of the ascent's answer only
    /// below the sonde, so that the next flight still knows the winds above.
    @Test func theForecastInTheFall() throws {
        var options = PredictionOptions()
        options.asksSondeHub = false
        var chased = Chased(altitude: 100, prediction: options)
        chased.go(1780, up: 5, every: 10)
        let rising = try #require(chased.go(70, up: 5, every: 10).questions.last)
        chased.script.run(.answered(rising.id, .prediction(Self.path(rising.query, burst: 60, east: 30))))
        let falling = try #require(chased.fall(to: 7500, rate: 6).questions.last)
        let own = try #require(chased.prediction?.forecast.prediction)
        #expect(own.inputs.winds.other == .forecast)
        let answer = chased.script.run(.answered(falling.id, .prediction(Self.path(falling.query, burst: 0, east: 10))))
        let stored = answer.entries.compactMap { if case .winds(let winds) = $0 { winds } else { nil } }
        let forecast = try #require(stored.first { $0.origin == .forecast })
        #expect(forecast.topMetres > 20_000 && forecast.place == rising.query.launch)
        for layer in forecast.layers {
            let isBelow = layer.altitudeMetres < 7000
            if isBelow || layer.altitudeMetres > 10_000 { #expect(abs(layer.east - (isBelow ? 10 : 30)) < 0.5) }
        }
        // The own wind blows to the north with 10 m/s, the forecast's to the east.
        chased.go(2, up: -9)
        let joined = try #require(chased.prediction?.ownWinds ?? chased.prediction?.forecast).prediction
        #expect(joined.inputs.winds.other == .forecast && joined.inputs.winds.otherAge.map { $0 < 60 } ?? false)
        let (east, north) = chased.place.offsetMetres(to: joined.landing.coordinate)
        #expect(abs(east / north - 1) < 0.1)
    }

    /// Of the forecasts of several launches the one that is nearest in time counts. Old forecasts are dropped, so that
    /// they don't displace flights.
    @Test func theNearestLaunch() throws {
        var memory = WindMemory()
        memory.join(
            [
                try Self.winds("L1", hoursOld: 0.5, origin: .forecast), try Self.winds("V1", hoursOld: 12),
                try Self.winds("L2", hoursOld: -6, origin: .forecast), try Self.winds("V2", hoursOld: 20 * 24),
                try Self.winds("L3", hoursOld: 60, origin: .forecast),
            ], by: RunClock())
        var flight = Flight()
        var path = FlightPath(altitude: 500, longitude: 8.54)
        path.go(120, up: 5)
        _ = flight.add(path.points)
        let serial = try #require(SondeSerial(name: "V4210150", type: .rs41))
        let found = try #require(memory.winds(for: flight, of: serial, by: RunClock()))
        #expect(found.serial.canonical == "L1")
        var kept = WindMemory()
        kept.join(
            [
                try Self.winds("V1", hoursOld: 12), try Self.winds("V2", hoursOld: 20 * 24),
                try Self.winds("L1", hoursOld: 0.5, origin: .forecast),
                try Self.winds("L2", hoursOld: -6, origin: .forecast),
            ], by: RunClock())
        #expect(memory == kept)
    }

    // MARK: - Borrowing

    /// Another sonde's track: a climb to 15 km that ends `hours` ago.
    private static func track(_ serial: String, hoursAgo hours: Double, north kilometres: Double) -> [SondeHubRecord] {
        (0..<300).map { step in
            var record = Script.record(serial, at: -hours * 3600 - 3000 + Double(step) * 10)
            record.altitudeMetres = 500 + Double(step) * 50
            record.coordinate = start.moved(east: Double(step) * 100, north: kilometres * 1000)
            return record
        }
    }

    private static func listed(_ outcome: Script.Outcome) -> [CallID] {
        outcome.polls.compactMap { if case .dayAround = $0.query { $0.id } else { nil } }
    }

    /// Once per flight the track of the newest other sonde of the day that was launched near is fetched.
    @Test func theNewestNearSondeIsBorrowed() throws {
        var chased = Self.chased([], prediction: Self.borrowing, sondeHub: SondeHubOptions.payerne)
        let begin = chased.go(30, up: 5)
        let list = try #require(Self.listed(begin).first)
        #expect(Self.listed(begin).count == 1)
        let records = [
            ("V1", 12.0), ("V2", 2), ("V4210150", 0.1), ("V3", 25), ("V4", 5), ("V5", 20),
        ].map { Script.record($0.0, at: -$0.1 * 3600) }
        var outcome = chased.script.answer(list, records)
        #expect(outcome.tracks.map(\.serial.canonical) == ["V2"])
        #expect(outcome.tracks.first?.duration == .sixHours)
        outcome = chased.script.answerTrack(outcome.tracks.first?.id, Self.track("V2", hoursAgo: 2, north: 130))
        #expect(outcome.tracks.map(\.serial.canonical) == ["V4"])
        outcome = chased.script.answerTrack(outcome.tracks.first?.id, Self.track("V4", hoursAgo: 5, north: 100))
        let stored = outcome.entries.compactMap { if case .winds(let winds) = $0 { winds } else { nil } }
        #expect(stored.map(\.origin) == [.borrowed] && stored.first?.serial.canonical == "V4")
        outcome = chased.go(900, up: 5)
        #expect(Self.listed(outcome).isEmpty && outcome.tracks.isEmpty)
        let sources = try #require(chased.prediction).forecast.prediction.inputs.winds
        #expect(sources.other == .borrowed && sources.otherSerial?.canonical == "V4")
        #expect(chased.script.newest[.prediction].map { "\($0)" } != nil)
    }

    /// After a failure SondeHub is asked again after five minutes, five times in all, and in the descent not at all.
    @Test func failuresAreRetried() throws {
        var chased = Self.chased([], prediction: Self.borrowing, sondeHub: SondeHubOptions.payerne)
        var outcome = chased.go(30, up: 5)
        var asked = 0
        for _ in 0..<8 {
            for id in Self.listed(outcome) {
                asked += 1
                outcome += chased.script.run(.answered(id, .failed(OnlineServiceError(.timedOut, "late"))))
            }
            #expect(Self.listed(chased.go(280, up: 2)).isEmpty)
            outcome = chased.go(40, up: 2)
        }
        #expect(asked == 5)
        var falling = Self.chased([], prediction: Self.borrowing, sondeHub: SondeHubOptions.payerne)
        falling.altitude = 12_000
        let fall = falling.fall(to: 9000)
        #expect(Self.listed(fall).count <= 1)
        #expect(Self.listed(falling.fall(to: 3000)).isEmpty)
    }

    /// After the burst nothing is borrowed. The time of an attempt that failed before then passes without a turn;
    /// otherwise the loop would use a whole core.
    @Test func aFailureBeforeTheBurstWakesNobody() {
        var chased = Self.chased([], prediction: Self.borrowing, sondeHub: SondeHubOptions.payerne)
        chased.altitude = 12_000
        let listed = Self.listed(chased.go(30, up: 5))
        #expect(listed.count == 1)
        for id in listed { chased.script.run(.answered(id, .failed(OnlineServiceError(.unreachable, "no network")))) }
        _ = chased.fall(to: 9000)
        // `wait` ends the process if a deadline never passes.
        #expect(Self.listed(chased.script.wait(900)).isEmpty)
    }

    /// Nothing is asked while the setting or SondeHub is off, or on the launch pad.
    @Test func nothingIsBorrowedUnasked() {
        var chased = Self.chased([], sondeHub: SondeHubOptions.payerne)
        #expect(Self.listed(chased.go(60, up: 5)).isEmpty)
        chased = Self.chased([], prediction: Self.borrowing)
        #expect(Self.listed(chased.go(60, up: 5)).isEmpty)
        chased = Self.chased([], prediction: Self.borrowing, sondeHub: SondeHubOptions.payerne)
        #expect(Self.listed(chased.go(60)).isEmpty)
    }

    /// When the clock is set, the times of this run's winds move. Borrowed winds and those of earlier runs keep theirs.
    @Test func theClockIsSet() throws {
        var (memory, clock, moment) = (WindMemory(), RunClock(), Script().now)
        moment.wall = WallTime(millisecondsSince1970: Script.noon - 3_600_000)
        clock.follow(moment)
        for winds in [
            try Self.winds("V1", hoursOld: 2), try Self.winds("V2", hoursOld: 0.5),
            try Self.winds("V3", hoursOld: 0.25, origin: .borrowed),
        ] { memory.remember(winds, by: clock) }
        moment.wall = moment.wall.advanced(by: .seconds(86_400))
        clock.follow(moment)
        let expected = [
            try Self.winds("V1", hoursOld: 2), try Self.winds("V2", hoursOld: -23.5),
            try Self.winds("V3", hoursOld: 0.25, origin: .borrowed),
        ]
        #expect(memory.all(by: clock) == expected)
    }

    /// An online answer in the ascent has the radii for known winds, which are narrower than those for unknown winds.
    @Test(arguments: [PredictionMethod.tawhiri, .sondehub])
    func anAnswerKnowsTheWindsAbove(_ method: PredictionMethod) {
        var flight = Flight()
        _ = flight.insert(FlightPath(altitude: 2000).newest)
        let now = Script().now
        let inputs = LandingPrediction.Inputs(
            descentRate: 6, descentRateOrigin: "prior", descentGrowth: 0, groundMetres: 0, windLayers: 0)
        let radius = RadiusFormula(isBigParachute: true)
        let forecast = Forecast(
            Chased.prediction(from: Self.start, 20_000, at: now.wall), method: method, isBeforeBurst: true,
            for: flight, inputs: inputs, measuredShare: 0, radius: radius, at: now)
        let alone = radius.radius(by: .ascent(minutesAbove: 60, kilometres: 20, certainty: 0))
        #expect(forecast.prediction.radius.metres50 == 7000)
        #expect(forecast.prediction.radius.metres90 < alone.metres90 / 2)
    }
}
