import GatewayTestSupport
import ReceiverProtocol
import Testing

@testable import FlightMath
@testable import Gateway
@testable import GatewayReports

@Suite struct LinkTests {
    /// While the sonde has no GPS fix, the link stays, and the receiver can be tuned.
    @Test func framesWithoutNumbersKeepTheLink() {
        var script = Script()
        script.connect()
        var outcome = Script.Outcome()
        for _ in 0..<40 {
            outcome += script.wait(1)
            outcome += script.frame("1/M20/404.000/No data/nan/nan/nan/nan/nan/117.5/100/0/0/0/4274/0/0/0/0/3.10/o")
        }
        let closes = outcome.actions.contains { if case .closeLink = $0 { true } else { false } }
        #expect(!closes && outcome.positions.isEmpty && script.stateReport?.link == .readyForCommands)
        #expect(outcome.radios.count == 40)
        let tuned = script.command("{\"frequency\":403.5,\"type\":\"RS41\"}")
        #expect(tuned.written == ["o{f=403.50/tipo=1}o"])
        #expect(script.health()?.rejects["position_unreadable"] == 40)
    }

    /// Links that bring bytes and no frame, full batteries and the adapter's faults are counted.
    @Test func whatTheLinkTellsIsCounted() throws {
        var script = Script()
        script.connect()
        #expect(script.health()?.clamped == 0)
        script.frame("0/RS41/404.200/120.5/104/4260/0/3.10/o")
        script.run(.linkReport(.unreadable))
        script.run(.linkReport(.adapter(AdapterCounters(name: "hci0", receiveErrors: 3, sendErrors: 1))))
        script.run(.linkReport(.adapter(AdapterCounters(name: "hci0", receiveErrors: 4, sendErrors: 1))))
        let counted = script.health()
        let health = try #require(counted)
        #expect(health.clamped == 1 && health.linkLosses == ["unreadable": 1])
        #expect(health.adapter == AdapterCounters(name: "hci0", receiveErrors: 4, sendErrors: 1))
        let text = String(decoding: health.payload, as: UTF8.self)
        #expect(text.contains(#""adapter":{"name":"hci0","receive_errors":4,"send_errors":1}"#))
    }

    enum Step {
        case open, close, position, other, rejectedPosition
        case wait(Double)
    }

    /// The table of link states: events -> the state afterwards.
    @Test(
        arguments: [
            ([], .notConnected), ([.open], .notConnected), ([.open, .other], .readyForCommands),
            ([.open, .position], .dataReady), ([.open, .rejectedPosition, .rejectedPosition], .readyForCommands),
            ([.open, .position, .wait(9), .other], .dataReady),
            ([.open, .position, .wait(10.5), .other], .readyForCommands),
            ([.open, .position, .wait(9), .other, .wait(9), .other, .wait(12.5), .other], .readyForCommands),
            ([.open, .position, .close], .notConnected), ([.open, .other, .close], .notConnected),
            ([.open, .other, .wait(14)], .readyForCommands), ([.open, .other, .wait(15)], .notConnected),
            ([.open, .wait(15)], .notConnected), ([.open, .position, .wait(15)], .notConnected),
            ([.open, .other, .wait(15), .open, .other], .readyForCommands), ([.other], .notConnected),
            ([.close, .open, .other], .readyForCommands),
        ] as [([Step], LinkState)])
    func table(_ steps: [Step], _ expected: LinkState) {
        var script = Script()
        for step in steps { perform(step, &script) }
        #expect(script.stateReport?.link == expected)
        #expect(script.newest[.receiverState] == .receiverState(isOnline: expected != .notConnected))
    }

    /// A cable or an adapter that stays away for a minute is said once; one that is back may be said again. A receiver
    /// that does not answer is no missing device.
    @Test func aMissingDeviceIsSaidOnce() {
        var script = Script()
        let missing = TransportError(.notFound, "/dev/ttyUSB0: No such file or directory", isDeviceMissing: true)
        func fail(_ error: TransportError, for seconds: Int) -> [Announcement] {
            (0..<seconds / 2).flatMap { _ in
                script.advance(2)
                return script.run(.linkFailed(error)).announcements
            }
        }
        let advice = Announcement.advice(.plugIn)
        #expect(!fail(missing, for: 60).contains(advice))
        #expect(fail(missing, for: 600).count { $0 == advice } == 1)
        script.connect()
        script.closeLink()
        #expect(fail(missing, for: 70).count { $0 == advice } == 1)
        _ = fail(TransportError(.notFound, "car: Name or service not known"), for: 2)
        #expect(!fail(TransportError(.notFound, "car: Name or service not known"), for: 200).contains(advice))
    }

    /// The timer alone notices an old position if frames go on, but none has a position or another type.
    @Test func anOldPositionIsNoticedByTheTimer() {
        var link = ReceiverLink()
        link.opened(ReceiverPeer(name: "x", maximumWriteLength: 20), at: .zero)
        link.received(hasPlausiblePosition: true, at: .zero)
        link.checkPositionAge(at: .zero.advanced(by: .seconds(29.99)))
        #expect(link.state == .dataReady)
        link.checkPositionAge(at: .zero.advanced(by: .seconds(30)))
        #expect(link.state == .readyForCommands)
    }

    @Test func silenceTearsTheLinkDownAndSaysSo() {
        var script = Script()
        script.connect()
        script.wait(14.9)
        let outcome = script.wait(0.2)
        #expect(outcome.actions.contains(.closeLink(session: 1, .silent)))
        #expect(outcome.announcements == [.receiverLost(.silent)])
        #expect(outcome.texts(on: "/receiver/state") == ["offline"])
        #expect(script.health()?.linkLosses == ["silent": 1])
    }

    /// After a suspension the deadline is over while frames are on their way, so the link gets two seconds more.
    @Test(arguments: [true, false]) func aGatewayThatSleptGivesTheReceiverTwoSeconds(isHeard: Bool) {
        var script = Script()
        script.connect()
        script.advance(3600)
        let lost = Announcement.receiverLost(.silent)
        #expect(!script.run(.timerFired(.receiver)).announcements.contains(lost))
        script.advance(1)
        if isHeard { script.frame(Script.searching) }
        #expect(script.wait(1.1).announcements.contains(lost) == !isHeard)
        #expect(!script.wait(13.8).announcements.contains(lost))
        #expect(script.wait(0.2).announcements.contains(lost) == isHeard)
    }

    @Test func settingsAreAskedForHalfASecondAfterTheFirstFrameOfEachLink() {
        var script = Script()
        script.connect()
        #expect(script.wait(0.49).written == [])
        let asked = script.wait(0.02)
        #expect(asked.written == ["o{?}o"])
        script.takeWrites(asked)
        script.frame(Script.configuration)
        #expect(script.wait(10).written == [])
        script.closeLink()
        script.openLink()
        #expect(script.wait(5).written == [])
        script.frame(Script.searching)
        #expect(script.wait(0.5).written == ["o{?}o"])
        #expect(script.health()?.reconnects == 1)
    }

    @Test func lateFiringsAreInert() {
        var script = Script()
        script.connect()
        for id in TimerID.allCases { #expect(script.run(.timerFired(id)).reports.isEmpty) }
        #expect(script.stateReport?.link == .readyForCommands)
    }

    /// A timer that fires early is set again. In an earlier version it counted as running and was never set, so the
    /// link's silence, the poll and the queue stood still.
    @Test func aTimerThatFiresEarlyIsSetAgain() {
        var script = Script(sondeHub: SondeHubOptions.payerne)
        script.connect()
        #expect(script.timers.count >= 3)
        for (id, deadline) in script.timers where deadline > script.now.monotonic {
            let outcome = script.run(.timerFired(id))
            #expect(outcome.actions.contains(.setTimer(id, at: deadline)), "\(id)")
        }
        #expect(script.wait(15.1).actions.contains { if case .closeLink(_, .silent) = $0 { true } else { false } })
    }

    @Test func backoffGrowsByHalfUpToItsLimitAndStartsAtOnce() {
        var backoff = Backoff()
        for seconds in [0, 1, 1.5, 2.25, 3.375, 5.0625, 7.59375, 11.390625, 17.0859375, 25.62890625, 30, 30] {
            #expect(abs(backoff.delay(random: 1).inSeconds - seconds) < 1e-6)
        }
        backoff.reset()
        #expect(backoff.delay(random: 0) == .zero)
        #expect(backoff.delay(random: 0) == .milliseconds(500))
    }

    /// A brief wait cuts a step, and the next one is as long as without it.
    @Test func aBriefWaitCutsOneStep() {
        var backoff = Backoff(first: .seconds(2))
        let waits = [nil, nil, 1, nil, 1, nil].map { brief in
            backoff.delay(random: 1, atMost: brief.map { .seconds($0) }).inSeconds
        }
        #expect(waits == [0, 2, 1, 4.5, 1, 10.125])
    }

    /// After an absence of ten seconds the gateway tries the receiver again within eighteen. A setting that restarts it
    /// has twenty seconds for its confirmation.
    @Test(arguments: 0..<256) func aReceiverThatIsAwayForTenSecondsIsSoughtWithinEighteen(chance: Int) {
        var backoff = Backoff()
        var elapsed = Duration.zero
        for call in 0..<20 where elapsed < .seconds(10) {
            elapsed += backoff.delay(random: Double(chance >> (call % 8) & 1))
        }
        #expect(elapsed >= .seconds(10) && elapsed <= .seconds(18), "\(elapsed)")
    }

    private func perform(_ step: Step, _ script: inout Script) {
        switch step {
        case .open: script.openLink()
        case .close: script.closeLink()
        case .position: script.frame(Script.position())
        case .other: script.frame(Script.searching)
        case .rejectedPosition: script.frame(Script.position(latitude: "91"))
        case .wait(let seconds): script.wait(seconds)
        }
    }
}
