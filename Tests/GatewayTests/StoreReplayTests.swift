import ReceiverProtocol
import TestSupport
import Testing

@testable import Gateway

/// The replay, and the end of the store machine.
@Suite struct StoreReplayTests {
    private func entry(_ number: Int) -> FlightLogEntry { .setting(.hunt, "\(number)") }

    // MARK: - Replaying

    @Test func unacknowledgedMessagesAreReplayedInOrder() {
        var bench = StoreBench()
        bench.run(.sessionBegan)
        bench.wait(.seconds(2))
        let sent = (0..<3).map { _ in bench.send() }
        bench.run(.acknowledged([sent[0]]))
        bench.run(.sessionEnded)
        let kept = (0..<200).map { _ in bench.keep() }
        bench.wait(.seconds(1))
        #expect(bench.disk.count == 202 && bench.machine.depth == 202)
        bench.run(.sessionBegan)
        var seconds = 0.0
        while bench.replayed.count < 202, seconds < 60 {
            bench.wait(.milliseconds(500))
            seconds += 0.5
            #expect(bench.machine.depth <= 202)
            bench.feed(.acknowledged(bench.replayed))
        }
        #expect(bench.replayed == Array(sent[1...]) + kept)
        // At most 50 a second, so that the replay does not delay live messages.
        #expect((4...8).contains(seconds))
        bench.wait(.seconds(2))
        #expect(bench.disk.isEmpty && bench.machine.depth == 0)
        #expect(bench.machine.replayed == 202)
        #expect(bench.machine.deadline == nil)
    }

    @Test func aReplayThatIsNotAcknowledgedIsReplayedAgain() {
        var bench = StoreBench()
        let key = bench.keep()
        bench.wait(.seconds(1))
        bench.run(.sessionBegan)
        bench.wait(.seconds(2))
        #expect(bench.replayed == [key])
        bench.run(.sessionEnded)
        bench.run(.sessionBegan)
        bench.wait(.seconds(2))
        #expect(bench.replayed == [key, key])
        bench.run(.acknowledged([key]))
        bench.wait(.seconds(2))
        #expect(bench.disk.isEmpty)
    }

    /// A slow line displaces an old position while an older one is still under way.
    @Test(arguments: [false, true]) func aDisplacedMessageWaitsForOlderLiveOnes(_ isCutOff: Bool) {
        var bench = StoreBench()
        bench.run(.sessionBegan)
        bench.wait(.seconds(2))
        let (live, displaced) = (bench.send(), bench.keep())
        bench.wait(.seconds(5))
        #expect(bench.replayed.isEmpty)
        let newer = bench.send()
        if isCutOff {
            bench.run(.sessionEnded)
            bench.run(.sessionBegan)
        } else {
            bench.run(.acknowledged([live]))
        }
        bench.wait(.seconds(2))
        #expect(bench.replayed == (isCutOff ? [live, displaced, newer] : [displaced]))
    }

    /// A message on disk that the broker refuses for now is replayed, also if other things are saved meanwhile.
    @Test func aSaveForgetsNoDeferredMessage() {
        var bench = StoreBench()
        bench.run(.sessionBegan)
        bench.wait(.seconds(2))
        let (older, key) = (bench.send(), bench.send())
        bench.wait(.seconds(2))
        bench.run(.deferred(key))
        bench.run(.recorded(StoreBench.point(0)))
        bench.wait(.seconds(2))
        bench.run(.acknowledged([older]))
        bench.wait(StoreMachine.deferral)
        #expect(bench.replayed == [key])
    }

    @Test func atMostAWindowOfReplaysIsOut() {
        var bench = StoreBench()
        for _ in 0..<300 { _ = bench.keep() }
        bench.wait(.seconds(1))
        bench.run(.sessionBegan)
        bench.wait(.seconds(30))
        #expect(bench.replayed.count == Spool.window)
    }

    /// Messages that the broker refuses for now are replayed later: live ones and replays, on disk or not.
    @Test(arguments: [Duration.zero, .seconds(2)]) func transientlyRefusedMessagesAreReplayedLater(_ delay: Duration) {
        var bench = StoreBench()
        bench.run(.sessionBegan)
        let sent = (0..<3).map { _ in bench.send() }
        bench.wait(delay)
        bench.run(.acknowledged([sent[1]]))
        for key in [sent[2], sent[0]] { bench.run(.deferred(key)) }
        bench.wait(.seconds(29))
        #expect(bench.replayed.isEmpty && bench.disk.keys.sorted() == [sent[0], sent[2]])
        bench.wait(.seconds(2))
        #expect(bench.replayed == [sent[0], sent[2]])
        for key in bench.replayed { bench.run(.deferred(key)) }
        bench.forgetReplayed()
        bench.wait(.seconds(31))
        #expect(bench.replayed == [sent[0], sent[2]])
        bench.run(.acknowledged(bench.replayed))
        bench.wait(DurabilityTickets.syncInterval + .seconds(1))
        #expect(bench.disk.isEmpty && bench.machine.depth == 0 && bench.machine.deadline == nil)
    }

    // MARK: - The end

    @Test func theEndWritesEverythingAtOnce() {
        var bench = StoreBench()
        bench.run(.sessionBegan)
        let late = bench.send()
        bench.feed(.recorded(entry(0)))
        bench.run(.closing)
        #expect(bench.closed == .closed(unsaved: 0, nil))
        #expect(bench.disk.keys.sorted() == [late] && bench.recorded == [entry(0)])
        #expect(bench.machine.deadline == nil)
    }

    @Test func theEndWaitsForASlowDiskAndNoLonger() {
        var bench = StoreBench()
        bench.fault = .slow
        for _ in 0..<5 { _ = bench.keep() }
        bench.run(.recorded(entry(0)))
        for _ in 0..<5 { _ = bench.keep() }
        bench.run(.closing)
        bench.wait(.milliseconds(1400))
        #expect(bench.closed == nil)
        bench.wait(.milliseconds(200))
        #expect(bench.closed == .closed(unsaved: 11, .slow))
    }

    @Test func theEndDoesNotWaitForADiskThatTakesNothing() {
        var bench = StoreBench()
        bench.fault = .full
        _ = bench.keep()
        bench.run(.timePassed)
        bench.feed(.recorded(entry(0)))
        bench.run(.closing)
        #expect(bench.closed == .closed(unsaved: 2, .failed(StoreBench.full)))
    }
}
