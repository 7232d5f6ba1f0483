import ReceiverProtocol
import Testing

@testable import GatewayCore

/// When SondeHub is asked, what is taken from its answers, and what follows for the receiver's frequency.
@Suite struct SondeHubLogicTests {
    static func record(
        _ serial: String, at seconds: Double = 0, latitude: Double = 47, uploader: Double? = nil,
        type: SondeType = .rs41, frequency: Double? = nil
    ) -> SondeHubRecord {
        guard let serial = SondeSerial(name: serial, type: type) else { preconditionFailure("a valid serial") }
        var record = SondeHubRecord(
            serial: serial, sondeType: type,
            time: WallTime(millisecondsSince1970: 1_767_268_800_000 + Int64(seconds * 1000)),
            coordinate: Coordinate(latitude: latitude, longitude: 8), altitudeMetres: 1000)
        record.uploader = uploader.map { Coordinate(latitude: $0, longitude: 8) }
        record.frequencyMHz = frequency
        return record
    }

    private static func at(_ seconds: Double) -> MonotonicTime { .zero.advanced(by: seconds) }

    /// Age of the newest frame -> seconds to the next poll, within ± 10 %.
    @Test(
        arguments: [
            (0, 15), (119, 15), (120, 15), (121, 300), (1800, 300), (1801, 3600), (90_000, 3600), (nil, 300),
        ] as [(Double?, Double)])
    func pollInterval(_ age: Double?, _ interval: Double) throws {
        var poll = SondeHubPoll(SondeHubOptions())
        poll.setOn(true, at: Self.at(0))
        #expect(poll.dueAt == Self.at(0))
        #expect((poll.next(CallID(1), around: nil, at: Self.at(0)) == .site("06610")) as Bool)
        #expect((poll.next(CallID(2), around: nil, at: Self.at(0)) == nil) as Bool)
        #expect((poll.answered(CallID(1))) as Bool)
        poll.succeeded(newest: age, canAskArea: false, at: Self.at(0.7))
        #expect(poll.interval == interval)
        let wait = Double(try #require(poll.dueAt).milliseconds(since: Self.at(0.7))) / 1000
        #expect(abs(wait - interval) <= interval * 0.1001)
    }

    @Test func jitterSpreads() {
        let waits = (0..<200).map { index in
            var poll = SondeHubPoll(SondeHubOptions())
            poll.setOn(true, at: .zero)
            _ = poll.next(CallID(1), around: nil, at: .zero)
            _ = poll.answered(CallID(1))
            let now = MonotonicTime(nanoseconds: Int64(index) * 7_919_000)
            poll.succeeded(newest: 0, canAskArea: false, at: now)
            return poll.dueAt?.milliseconds(since: now) ?? 0
        }
        #expect((waits.min() ?? 0) >= 13_499 && (waits.min() ?? 0) < 13_800)
        #expect((waits.max() ?? 0) <= 16_500 && (waits.max() ?? 0) > 16_200)
    }

    @Test func offMeansNoCallAtAll() {
        var poll = SondeHubPoll(.off)
        poll.setOn(true, at: .zero)
        #expect(poll.dueAt == nil)
        #expect((poll.next(CallID(1), around: nil, at: Self.at(9999)) == nil) as Bool)
        #expect(poll.calls == 0)
    }

    @Test func turnedOnAsksAtOnceAndLateAnswersAreDropped() {
        var poll = SondeHubPoll(SondeHubOptions())
        poll.setOn(true, at: .zero)
        _ = poll.next(CallID(1), around: nil, at: .zero)
        _ = poll.answered(CallID(1))
        poll.succeeded(newest: 90_000, canAskArea: false, at: .zero)
        poll.setOn(false, at: Self.at(1))
        #expect(poll.dueAt == nil)
        poll.setOn(true, at: Self.at(2))
        #expect(poll.dueAt == Self.at(2))
        #expect((!poll.answered(CallID(1))) as Bool)
    }

    @Test func theAreaIsAskedWhenTheSiteKnowsNone() {
        let place = Coordinate(latitude: 47, longitude: 8)
        var poll = SondeHubPoll(SondeHubOptions())
        poll.setOn(true, at: .zero)
        #expect((poll.next(CallID(1), around: place, at: .zero) == .site("06610")) as Bool)
        _ = poll.answered(CallID(1))
        poll.succeeded(newest: nil, canAskArea: true, at: .zero)
        #expect((poll.next(CallID(2), around: place, at: .zero) == .area(place, radiusMetres: 400_000)) as Bool)
        _ = poll.answered(CallID(2))
        poll.succeeded(newest: 10, canAskArea: true, at: .zero)
        #expect((poll.next(CallID(3), around: place, at: Self.at(17)) == .area(place, radiusMetres: 400_000)) as Bool)
        _ = poll.answered(CallID(3))
        poll.succeeded(newest: nil, canAskArea: true, at: Self.at(17))
        #expect((poll.next(CallID(4), around: place, at: Self.at(400)) == .site("06610")) as Bool)
    }

    /// Failures in a row -> the wait; `Retry-After` is honoured.
    @Test func errorsBackOff() throws {
        var poll = SondeHubPoll(SondeHubOptions())
        poll.setOn(true, at: .zero)
        var now = MonotonicTime.zero
        var waits: [Double] = []
        for call in 1...8 {
            _ = poll.next(CallID(UInt64(call)), around: nil, at: now)
            _ = poll.answered(CallID(UInt64(call)))
            poll.failed(SondeHubError(.timedOut, ""), at: now)
            let due = try #require(poll.dueAt)
            waits.append(Double(due.milliseconds(since: now)) / 1000)
            now = due
        }
        for (wait, expected) in zip(waits, [15.0, 30, 60, 120, 240, 300, 300, 300]) {
            #expect(abs(wait - expected) <= expected * 0.1001)
        }
        _ = poll.next(CallID(99), around: nil, at: now)
        _ = poll.answered(CallID(99))
        poll.failed(SondeHubError(.rateLimited, "", retryAfter: 900), at: now)
        #expect(poll.dueAt == now.advanced(by: 900))
        poll.setOn(false, at: now)
        poll.setOn(true, at: now)
        #expect(poll.dueAt == now.advanced(by: 900), "turning it on again is no way round Retry-After")
    }

    @Test func newestUsableSondeIsChosen() {
        let bench = Self.record("V1", at: 50, latitude: 47, uploader: 47.005)
        let old = Self.record("V2", at: 10)
        let new = Self.record("V3", at: 20, latitude: 47, uploader: 46)
        let all = [bench, old, new]
        #expect(SondeHubChoice.newest(of: all, hunted: nil).record == new)
        #expect(SondeHubChoice.newest(of: all, hunted: nil).groundTests.map(\.serial.canonical) == ["V1"])
        #expect(SondeHubChoice.newest(of: all, hunted: bench.serial).record == bench)
        #expect(SondeHubChoice.newest(of: all, hunted: old.serial).record == old)
        #expect(SondeHubChoice.newest(of: [bench], hunted: nil).record == nil)
        #expect(SondeHubChoice.newest(of: [], hunted: nil).record == nil)
    }

    @Test func huntedSondeInOrder() throws {
        let (pin, heard) = (try #require(SondeSerial(name: "P1", type: .rs41)), Self.record("H1").serial)
        var hunted = HuntedSonde(pinned: nil)
        #expect(hunted.serial(at: .zero) == nil)
        hunted.heard(heard, at: .zero)
        #expect(hunted.serial(at: Self.at(10_799)) == heard)
        #expect(hunted.serial(at: Self.at(10_800)) == nil)
        hunted.told(heard, at: Self.at(10_000))
        #expect(hunted.serial(at: Self.at(20_799)) == heard)
        hunted.pinned = pin
        #expect(hunted.serial(at: Self.at(99_999)) == pin)
    }

    /// Seconds by the host, its synchronisation, cache age -> age of a frame made at second 0.
    @Test(
        arguments: [
            (100, true, 0, nil, 100), (100, true, 60, nil, 40), (100, true, 200, nil, 0),
            (-9_999_999, false, 60, 90, 90),
            (100, true, 60, 9999, 40),
        ] as [(Double, Bool, Double, Double?, Double)])
    func ageWhenSondeHubAnswered(
        _ now: Double, _ isSynced: Bool, _ cache: Double, _ date: Double?, _ age: Double
    ) {
        let record = Self.record("V1")
        let answer = SondeHubAnswer(
            records: [record], cacheAge: cache,
            answeredAt: date.map { record.time.advanced(byMilliseconds: Int64($0 * 1000)) })
        let moment = Moment(
            monotonic: .zero, wall: record.time.advanced(byMilliseconds: Int64(now * 1000)), isClockSynced: isSynced)
        #expect(answer.age(of: record, at: moment) == age)
    }

    /// Wanted and shown tuning -> whether it is proposed.
    @Test(
        arguments: [
            (403.5, SondeType.rs41, 403.5, SondeType.rs41, false), (403.5, .rs41, 403.51, .rs41, false),
            (403.5, .rs41, 403.511, .rs41, true), (403.5, .m20, 403.5, .rs41, true),
        ])
    func frequencyMismatch(
        _ wanted: Double, _ wantedType: SondeType, _ shown: Double, _ shownType: SondeType, _ isProposed: Bool
    ) {
        var sync = FrequencySync(.propose)
        let decision = sync.compare(
            wanted: Tuning(frequencyMHz: wanted, sondeType: wantedType),
            shown: Tuning(frequencyMHz: shown, sondeType: shownType), at: .zero)
        #expect((decision != nil) == isProposed)
        #expect((sync.compare(wanted: nil, shown: nil, at: .zero) == (isProposed ? .withdraw : nil)) as Bool)
    }

    @Test func proposalsAreMadeOncePerLinkAndComeBackAfterADeferral() {
        let (wanted, shown) = (
            Tuning(frequencyMHz: 404, sondeType: .rs41), Tuning(frequencyMHz: 403, sondeType: .rs41)
        )
        var sync = FrequencySync(.propose)
        #expect((sync.compare(wanted: wanted, shown: shown, at: .zero) != nil) as Bool)
        #expect((sync.compare(wanted: wanted, shown: shown, at: Self.at(1)) == nil) as Bool)
        sync.putOff(at: Self.at(2))
        #expect(sync.open == nil)
        #expect((sync.compare(wanted: wanted, shown: shown, at: Self.at(301)) == nil) as Bool)
        #expect((sync.compare(wanted: wanted, shown: shown, at: Self.at(302)) != nil) as Bool)
        #expect((sync.compare(wanted: nil, shown: shown, at: Self.at(303)) == .withdraw) as Bool)
        #expect((sync.compare(wanted: wanted, shown: shown, at: Self.at(304)) == nil) as Bool)
        sync.linkOpened()
        #expect((sync.compare(wanted: wanted, shown: shown, at: Self.at(305)) != nil) as Bool)
    }

    @Test func autoTunesOnceAMinuteAndOffNever() {
        let (wanted, shown) = (
            Tuning(frequencyMHz: 404, sondeType: .rs41), Tuning(frequencyMHz: 403, sondeType: .rs41)
        )
        var auto = FrequencySync(.auto)
        #expect((auto.compare(wanted: wanted, shown: shown, at: .zero) == wanted.map { .tune($0) }) as Bool)
        #expect((auto.compare(wanted: wanted, shown: shown, at: Self.at(59)) == nil) as Bool)
        #expect((auto.compare(wanted: wanted, shown: shown, at: Self.at(60)) != nil) as Bool)
        var off = FrequencySync(.off)
        #expect((off.compare(wanted: wanted, shown: shown, at: .zero) == nil) as Bool)
    }

    /// Gap in seconds -> the duration asked for.
    @Test(
        arguments: [
            (0, "15s"), (15, "15s"), (16, "1m"), (61, "30m"), (1801, "1h"), (10_800, "3h"), (10_801, "6h"),
            (90_000, "3d"), (999_999, "3d"),
        ] as [(Double, String)])
    func durationCoversTheGap(_ gap: Double, _ duration: String) {
        #expect(TrackDuration.covering(gap).rawValue == duration)
    }
}

/// The machine with SondeHub beside the receiver.
@Suite struct SondeHubMachineTests {
    /// SondeHub's answer came before the receiver's first word: its frame is shown when the start is over.
    @Test func anEarlyAnswerIsShownWhenStartupEnds() throws {
        var script = Script(sondeHub: SondeHubOptions())
        script.run(.brokerConnected)
        let call = script.wait(0).compactMap { if case .pollSondeHub(let id, _) = $0 { id } else { nil } }
        let record = SondeHubLogicTests.record("V1", at: -10)
        let answer = script.run(
            .sondeHubAnswered(try #require(call.first), .success(SondeHubAnswer(records: [record]))))
        #expect(answer.texts(on: "/position").isEmpty)
        script.run(.linkOpened(ReceiverPeer(name: "x", maximumWriteLength: 128)))
        let positions = script.frame(Script.searching).texts(on: "/position")
        #expect(positions.count == 1)
        #expect(positions.first?.contains("\"source\":\"sondehub\"") == true)
        #expect(positions.first?.contains("\"age_ms\":10000") == true)
    }

    /// A failed gap fill is tried again, later each time, with what came kept; a refused one isn't.
    @Test func gapFillsAreRetried() {
        var script = Script(sondeHub: SondeHubOptions())
        script.connect()
        func fetched(_ actions: [GatewayAction]) -> [CallID] {
            actions.compactMap { if case .fetchTrack(let id, _, _) = $0 { id } else { nil } }
        }
        var calls = fetched(script.frame(Script.position("V1")))
        #expect(calls.count == 1)
        script.run(.trackReceived(calls[0], [SondeHubLogicTests.record("V1", at: -300)]))
        script.run(.trackEnded(calls[0], SondeHubError(.malformed, "breaks off")))
        #expect(script.machine.flight.track.points.count == 2)
        for wait in [10.0, 20, 40, 80] {
            #expect(fetched(script.wait(wait * 0.8)).isEmpty)
            calls = fetched(script.wait(wait * 0.4))
            #expect(calls.count == 1)
            if let call = calls.first { script.run(.trackEnded(call, SondeHubError(.timedOut, "late"))) }
        }
        #expect(fetched(script.wait(1000)).isEmpty, "five attempts")
        calls = fetched(script.command("{\"hunt\":\"V9\"}"))
        if let call = calls.first { script.run(.trackEnded(call, SondeHubError(.refused, "bad duration"))) }
        #expect(script.machine.gapFill == nil)
    }

    /// Back from SondeHub the receiver's whole silence is fetched, not only the time since the last poll.
    @Test func theReceiversSilenceIsFilled() {
        var script = Script(sondeHub: SondeHubOptions())
        script.connect()
        script.frame(Script.position("V1"))
        script.run(.linkClosed(.silent))
        script.wait(700)
        script.run(.linkOpened(ReceiverPeer(name: "x", maximumWriteLength: 128)))
        let durations = script.frame(Script.position("V1")).compactMap { action -> TrackDuration? in
            if case .fetchTrack(_, _, let duration) = action { duration } else { nil }
        }
        #expect(durations == [.halfHour])
    }

    /// A gateway that stops asks nobody any more, and so never says that SondeHub has the sonde.
    @Test func stoppingAsksNobody() {
        var script = Script(sondeHub: SondeHubOptions())
        script.connect()
        script.frame(Script.position("V1"))
        script.run(.linkClosed(.stopping))
        #expect(script.machine.poll.dueAt == nil)
        #expect(!script.wait(60).contains { if case .pollSondeHub = $0 { true } else { false } })
    }

    /// An old frame never becomes a live position; nor is a sonde of which only that is known taken for landed.
    @Test func anOldFrameIsNoPosition() throws {
        var script = Script(sondeHub: SondeHubOptions())
        script.connect()
        let call = script.wait(0).compactMap { if case .pollSondeHub(let id, _) = $0 { id } else { nil } }
        let record = SondeHubLogicTests.record("V1", at: -7200)
        let actions = script.run(
            .sondeHubAnswered(try #require(call.first), .success(SondeHubAnswer(records: [record]))))
        #expect(actions.texts(on: "/position").isEmpty)
        let state = try #require(actions.texts(on: "/state").last)
        #expect(state.contains("aprsFlying") && !state.contains("sondehub_silent"))
    }
}

/// The gateway's own UTC under clocks that are wrong, are set, and jump.
@Suite struct UTCLineTests {
    private static let year: Int64 = 31_536_000_000

    /// Was synchronised, is synchronised, jump -> followed.
    @Test(
        arguments: [
            (true, true, year, false), (true, true, -year, false), (true, false, year, false),
            (true, false, -year, false), (false, true, year, true), (false, true, -year, true),
            (false, false, year, true), (false, false, -year, false), (true, true, 1500, true),
            (true, true, -1500, true),
        ])
    func jumps(_ was: Bool, _ isNow: Bool, _ jump: Int64, _ isFollowed: Bool) {
        var line = UTCLine()
        var before = Moment(
            monotonic: .zero, wall: WallTime(millisecondsSince1970: 1_767_268_800_000), isClockSynced: was)
        #expect((line.follow(&before) == nil) as Bool)
        let machine = before.wall.advanced(byMilliseconds: 1000 + jump)
        var after = Moment(monotonic: .zero.advanced(by: 1), wall: machine, isClockSynced: isNow)
        let change = line.follow(&after)
        #expect(after.wall == (isFollowed ? machine : before.wall.advanced(byMilliseconds: 1000)))
        if abs(jump) > 2000 { #expect(change == (isFollowed ? .set(jump) : .ignored(jump))) }
        // Said once.
        var later = Moment(monotonic: .zero.advanced(by: 2), wall: machine, isClockSynced: isNow)
        later.wall = machine.advanced(byMilliseconds: 1000)
        #expect((line.follow(&later) == nil) as Bool)
        #expect(later.wall > after.wall)
    }
}
