import Testing

@testable import MosquittoClient

@Suite struct LateWatchTests {
    private let start = ContinuousClock.now

    @Test func aMessageIsLateAfterASecond() {
        var watch = LateWatch()
        #expect(watch.deadline == nil)
        watch.sent(1, at: start)
        watch.sent(2, at: start + .milliseconds(300))
        #expect(watch.deadline == start + LateWatch.patience)
        let early = watch.tells(at: start + LateWatch.patience - .milliseconds(1))
        let late = watch.tells(at: start + LateWatch.patience)
        #expect(!early && late)
        // Told; again as much later.
        #expect(watch.deadline == start + LateWatch.patience * 2)
        watch.acknowledged { $0 == 2 }
        #expect(watch.deadline == start + LateWatch.patience * 2)
        watch.acknowledged { _ in false }
        #expect(watch.deadline == nil)
    }

    /// What is sent right after others were told of has no longer to wait than they had; and nobody is told all the time.
    @Test func eachIsToldOfInItsOwnSecond() {
        var watch = LateWatch()
        watch.sent(1, at: start)
        var told = watch.tells(at: start + LateWatch.patience)
        #expect(told)
        let next = start + LateWatch.patience + .milliseconds(100)
        watch.sent(2, at: next)
        let last = next + .milliseconds(450)
        watch.sent(3, at: last)
        #expect(watch.deadline == start + LateWatch.patience * 2)
        told = watch.tells(at: start + LateWatch.patience * 2)
        // The second one is old enough to be meant, the third has its own time.
        #expect(told && watch.deadline == last + LateWatch.patience)
        watch.acknowledged { $0 == 3 }
        #expect(watch.deadline == last + LateWatch.patience)
        watch.acknowledged { _ in false }
        #expect(watch.deadline == nil)
    }

    /// The next one has its own second, however long ago the last was late.
    @Test func whatIsAcknowledgedInTimeIsNeverLate() {
        var watch = LateWatch()
        for second in 0..<5 {
            let sent = start + .seconds(2 * second)
            watch.sent(Int32(second), at: sent)
            #expect(watch.deadline == sent + LateWatch.patience)
            watch.acknowledged { _ in false }
            let isTold = watch.tells(at: sent + .seconds(2))
            #expect(!isTold)
        }
    }
}
