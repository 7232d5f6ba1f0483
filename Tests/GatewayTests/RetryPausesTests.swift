import Gateway
import Testing

/// The pauses after failures in a row.
@Suite struct RetryPausesTests {
    private static let pauses = RetryPauses(first: .seconds(5), longest: .seconds(300))

    @Test func eachPauseIsTwiceTheOneBeforeUpToTheLongest() {
        let seconds = [0, 1, 2, 5, 6, 7, 1000].map { Self.pauses.pause(after: $0) }
        #expect(seconds == [5, 10, 20, 160, 300, 300, 300].map { .seconds($0) })
    }

    /// The time that a server asks for lengthens a pause, never beyond the longest, and never shortens it.
    @Test(arguments: [(0, 60, 60), (4, 60, 80), (0, 3600, 300), (9, 1, 300)])
    func theServersTimeCountsUpToTheLongest(failures: Int, asked: Int, pause: Int) {
        #expect(Self.pauses.pause(after: failures, asked: .seconds(asked)) == .seconds(pause))
    }

    @Test func aConstantPauseStays() {
        let same = RetryPauses.constant(.seconds(9))
        #expect(same.pause(after: 0) == .seconds(9) && same.pause(after: 8) == .seconds(9))
    }
}
