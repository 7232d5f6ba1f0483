import Testing

@testable import Gateway
@testable import GatewayReports

/// The part that gets an answer.
@Suite struct CallsTests {
    private static let owners: [Calls.Owner] = [.sondeHub, .gapFill, .predictions, .routing, .carSharing]
    private static let failure = Answer.failed(OnlineServiceError(.unreachable, "nobody is there"))

    @Test func eachAnswerGoesToThePartThatAsked() {
        var calls = Calls()
        let ids = Self.owners.map { calls.begin(for: $0) }
        #expect(Set(ids).count == Self.owners.count)
        let found = ids.reversed().map { calls.owner(of: Self.failure, to: $0) }
        #expect(found == Self.owners.reversed())
    }

    /// The last answer ends a call; a piece of a track does not.
    @Test func answersAfterTheLastAreDropped() {
        var calls = Calls()
        let id = calls.begin(for: .gapFill)
        let pieces = (0..<3).map { _ in calls.owner(of: .trackPart(SondeHubAnswer(records: [])), to: id) }
        #expect(pieces == [.gapFill, .gapFill, .gapFill])
        let last = calls.owner(of: .trackEnd, to: id)
        let late = calls.owner(of: .trackEnd, to: id)
        #expect(last == .gapFill && late == nil)
    }

    @Test func answersToACancelledCallAreDropped() {
        var calls = Calls()
        let id = calls.begin(for: .routing)
        let isCancelled = calls.cancel(id)
        let answered = calls.owner(of: Self.failure, to: id)
        let isCancelledTwice = calls.cancel(id)
        #expect(isCancelled && answered == nil && !isCancelledTwice)
    }
}
