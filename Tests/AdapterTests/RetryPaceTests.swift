import Testing

@testable import MosquittoClient

@Suite struct RetryPaceTests {
    private let lost = MosquittoFailure(.lost, "")

    @Test func doublesUpToThirtySeconds() {
        var pace = RetryPace()
        #expect((0..<8).map { _ in pace.delay(after: lost, random: 0) } == [0.5, 1, 2, 4, 8, 16, 30, 30])
    }

    @Test(
        arguments: [
            (.refused, 30), (.tls, 30), (.takenOver, 30), (.configuration, 30), (.lost, 0.5), (.unreachable, 0.5),
            (.timedOut, 0.5),
        ] as [(MosquittoFailure.Code, Double)])
    func whatNeedsPatience(_ code: MosquittoFailure.Code, _ seconds: Double) {
        var pace = RetryPace()
        #expect(pace.delay(after: MosquittoFailure(code, ""), random: 0) == seconds)
    }

    @Test func shortSessionsDoNotResetThePace() {
        var pace = RetryPace()
        for _ in 0..<3 {
            #expect(!pace.looksTakenOver)
            pace.sessionEnded(after: 0.1)
            _ = pace.delay(after: lost, random: 0)
        }
        #expect(pace.looksTakenOver)
        #expect(pace.delay(after: lost, random: 0) == 4)
        pace.sessionEnded(after: 11)
        #expect(!pace.looksTakenOver)
        #expect(pace.delay(after: lost, random: 0) == 0.5)
    }
}
