import Testing

@testable import MosquittoClient

@Suite struct LateWatchTests {
    private let start = ContinuousClock.now

    @Test func aMessageIsLateAfterHalfASecond() {
        var watch = LateWatch()
        #expect(watch.deadline == nil)
        watch.sent(1, at: start)
        watch.sent(2, at: start + .milliseconds(300))
        #expect(watch.deadline == start + .milliseconds(500))
        let early = watch.tells(at: start + .milliseconds(499))
        let late = watch.tells(at: start + .milliseconds(500))
        #expect(!early && late)
        // Told; again half a second later.
        #expect(watch.deadline == start + .seconds(1))
        watch.acknowledged { $0 == 2 }
        #expect(watch.deadline == start + .seconds(1))
        watch.acknowledged { _ in false }
        #expect(watch.deadline == nil)
    }

    /// The next one has its own half second, however long ago the last was late.
    @Test func whatIsAcknowledgedInTimeIsNeverLate() {
        var watch = LateWatch()
        for second in 0..<5 {
            let sent = start + .seconds(second)
            watch.sent(Int32(second), at: sent)
            #expect(watch.deadline == sent + .milliseconds(500))
            watch.acknowledged { _ in false }
            let isTold = watch.tells(at: sent + .seconds(1))
            #expect(!isTold)
        }
    }
}
