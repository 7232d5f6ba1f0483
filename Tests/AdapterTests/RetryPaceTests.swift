import Testing

@testable import MosquittoClient

@Suite struct RetryPaceTests {
    private let lost = MosquittoFailure(.lost, "")

    /// However long the broker is away: with the longest wait and a connection attempt of half a second it is found
    /// within three seconds.
    @Test func neverWaitsLongForABrokerThatIsAway() {
        var pace = RetryPace()
        let waits = (0..<1000).map { _ in pace.delay(after: lost, random: 0.999) }
        #expect(waits.prefix(4).map { $0 / .milliseconds(1) }.map { Int($0.rounded()) } == [250, 500, 1000, 2000])
        #expect(waits.allSatisfy { $0 <= .milliseconds(2000) })
        #expect(pace.delay(after: lost, random: 0) == .milliseconds(1500))
    }

    @Test(
        arguments: [
            (.refused, 30_000), (.tls, 30_000), (.configuration, 30_000), (.oversized, 30_000), (.takenOver, 188),
            (.lost, 188), (.unreachable, 188), (.timedOut, 188),
        ] as [(MosquittoFailure.Code, Int)])
    func whatNeedsPatience(_ code: MosquittoFailure.Code, _ milliseconds: Int) {
        var pace = RetryPace()
        let wait = pace.delay(after: MosquittoFailure(code, ""), random: 0)
        #expect(Int((wait / .milliseconds(1)).rounded()) == milliseconds)
    }

    /// The first time the other client is to learn of it, too.
    @Test func leavesTheSessionToTheOtherClientForFiveMinutes() {
        var pace = RetryPace()
        let taken = MosquittoFailure(.takenOver, "")
        #expect(pace.delay(after: taken, isKnownClash: false, random: 0) < .seconds(1))
        #expect(pace.delay(after: taken, isKnownClash: true, random: 0) == .seconds(300))
    }

    @Test func onlyAProvenSessionResetsThePace() {
        var pace = RetryPace()
        for _ in 0..<5 {
            pace.sessionEnded(after: .milliseconds(100))
            _ = pace.delay(after: lost, random: 0)
        }
        #expect(pace.delay(after: lost, random: 0) == .milliseconds(1500))
        pace.sessionEnded(after: .seconds(11))
        #expect(pace.delay(after: lost, random: 0) < .milliseconds(250))
    }
}
