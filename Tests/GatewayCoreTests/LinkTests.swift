import ReceiverProtocol
import Testing

@testable import GatewayCore

@Suite struct LinkTests {
    enum Step {
        case open, close, position, other, rejectedPosition
        case wait(Double)
    }

    /// The table of link states: what happens -> the state after it.
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
        ] as [([Step], ReceiverLink.State)])
    func table(_ steps: [Step], _ expected: ReceiverLink.State) {
        var script = Script()
        for step in steps { perform(step, &script) }
        #expect(script.machine.link.state == expected)
    }

    /// Frames go on (so the link is not silent), but none has a position and none is of another type: the timer alone.
    @Test func anOldPositionIsNoticedByTheTimer() {
        var link = ReceiverLink()
        link.opened(ReceiverPeer(name: "x", maximumWriteLength: 20), at: .zero)
        link.received(hasPlausiblePosition: true, at: .zero)
        link.checkPositionAge(at: .zero.advanced(by: 30))
        #expect(link.state == .dataReady)
        link.checkPositionAge(at: .zero.advanced(by: 30.002))
        #expect(link.state == .readyForCommands)
    }

    @Test func silenceTearsTheLinkDownAndSaysSo() {
        var script = Script()
        script.connect()
        script.wait(14.9)
        let actions = script.wait(0.2)
        #expect(actions.contains(.closeLink(.silent)))
        #expect(actions.texts(on: "/event").contains { $0.contains("receiver_lost") && $0.contains("\"silent\"") })
        #expect(actions.texts(on: "/receiver/state") == ["offline"])
        #expect(script.machine.counters.linkLosses == ["silent": 1])
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
        script.run(.linkClosed(.transport(TransportError(.closedByPeer, "gone"))))
        script.run(.linkOpened(ReceiverPeer(name: "receiver", maximumWriteLength: 128)))
        #expect(script.wait(5).written == [])
        script.frame(Script.searching)
        #expect(script.wait(0.5).written == ["o{?}o"])
        #expect(script.machine.counters.reconnects == 1)
    }

    @Test func lateFiringsAreInert() {
        var script = Script()
        script.connect()
        for id in TimerID.allCases { #expect(script.run(.timerFired(id)).published.isEmpty) }
        #expect(script.machine.link.state == .readyForCommands)
    }

    @Test func backoffDoublesUpToItsLimitAndStartsAtOnce() {
        var backoff = Backoff()
        #expect((0..<8).map { _ in backoff.delay(random: 1) } == [0, 1, 2, 4, 8, 16, 30, 30])
        backoff.reset()
        #expect(backoff.delay(random: 0) == 0)
        #expect(backoff.delay(random: 0) == 0.5)
    }

    private func perform(_ step: Step, _ script: inout Script) {
        switch step {
        case .open: script.run(.linkOpened(ReceiverPeer(name: "receiver", maximumWriteLength: 128)))
        case .close: script.run(.linkClosed(.transport(TransportError(.closedByPeer, "gone"))))
        case .position: script.frame(Script.position())
        case .other: script.frame(Script.searching)
        case .rejectedPosition: script.frame(Script.position(latitude: "91"))
        case .wait(let seconds): script.wait(seconds)
        }
    }
}
