import Gateway
import Testing

@testable import MosquittoClient

@Suite struct ReconnectRuleTests {
    private let large = ReconnectRule.Message(topic: "large", bytes: 4000)
    private let larger = ReconnectRule.Message(topic: "larger", bytes: 16_000)
    private let small = ReconnectRule.Message(topic: "small", bytes: 300)

    /// - Returns: the pause in milliseconds, for the least random number.
    private func end(
        _ rule: inout ReconnectRule, _ end: ReconnectRule.End = .hangUp, stood: Duration = .milliseconds(50),
        with messages: [ReconnectRule.Message] = []
    ) -> Int {
        let isTakenOver = rule.sessionEnded(end, stood: stood, unacknowledged: messages)
        return milliseconds(rule.pause(after: isTakenOver ? .takenOver : .lost, random: 0))
    }

    private func fail(_ rule: inout ReconnectRule, random: Double = 0) -> Int {
        rule.attemptFailed()
        return milliseconds(rule.pause(after: .unreachable, random: random))
    }

    private func milliseconds(_ duration: Duration) -> Int { Int((duration / .milliseconds(1)).rounded()) }

    /// After any outage: the longest pause and an attempt of half a second are less than 3 s.
    @Test func neverWaitsLongForABrokerThatIsAway() {
        var rule = ReconnectRule()
        let pauses = (0..<1000).map { _ in fail(&rule, random: 0.999) }
        #expect(pauses.prefix(4) == [250, 500, 1000, 2000])
        #expect(pauses.allSatisfy { $0 <= 2000 })
    }

    @Test(
        arguments: [
            (.refused, 30_000), (.unsupportedVersion, 30_000), (.tls, 30_000), (.configuration, 30_000),
            (.oversized, 30_000), (.lost, 188), (.unreachable, 188), (.timedOut, 188),
        ] as [(BrokerFailure.Code, Int)])
    func pausesGrowToTheirLimit(_ code: BrokerFailure.Code, _ expected: Int) {
        var rule = ReconnectRule()
        rule.attemptFailed()
        #expect(milliseconds(rule.pause(after: code, random: 0)) == expected)
    }

    @Test func aRivalIsFoundAndLeftTheSession() {
        var rule = ReconnectRule()
        #expect((1...10).map { _ in end(&rule) } == [0, 0, 188, 375, 750, 1500, 1500, 1500, 300_000, 300_000])
        // The rival returns every 5 minutes. Without a rival a session stands for 10.
        #expect(end(&rule, stood: .seconds(301)) == 300_000)
        #expect(end(&rule, stood: .seconds(601)) == 0)
    }

    @Test func reason0x8EMeansARival() {
        var rule = ReconnectRule()
        #expect((1...2).map { _ in end(&rule, .takenOver, stood: .seconds(3000)) } == [1500, 300_000])
    }

    /// The attempt right after each hang-up fails, so the broker has stopped.
    @Test func aFlappingBrokerIsNoRival() {
        var rule = ReconnectRule()
        for round in 0..<100 {
            #expect(end(&rule) == 0, "\(round)")
            #expect(fail(&rule) <= 1500)
        }
    }

    /// An end before the last SUBACK counts neither for nor against a rival.
    @Test func anEndBeforeTheSubscriptionsSaysNothing() {
        var rule = ReconnectRule()
        for _ in 0..<5 {
            _ = end(&rule, with: [large])
            rule.attemptFailed(isReached: true)
        }
        #expect(rule.trialLimit == 3000 && end(&rule) == 1500)
        rule = ReconnectRule()
        for _ in 0..<9 { rule.attemptFailed(isReached: true) }
        #expect(milliseconds(rule.pause(after: .lost, random: 0)) == 1500)
        #expect(end(&rule) == 0 && rule.trialLimit == nil)
    }

    @Test(arguments: [ReconnectRule.End.hangUp, .other]) func longSessionsDoNotCountAsHangUps(
        _ ending: ReconnectRule.End
    ) {
        var rule = ReconnectRule()
        for _ in 0..<100 { #expect(end(&rule, ending, stood: .seconds(10)) == 0) }
    }

    /// Repeated ends with a reason.
    @Test func otherEndsLengthenThePause() {
        var rule = ReconnectRule()
        #expect((1...6).map { _ in end(&rule, .other) } == [188, 375, 750, 1500, 1500, 1500])
    }

    @Test func aLimitIsProvenAfterTwoHangUps() {
        var rule = ReconnectRule()
        _ = end(&rule, with: [small, large])
        #expect(rule.trialLimit == nil)
        #expect(end(&rule, with: [large, small]) == 0)
        #expect(rule.trialLimit == 3999 && rule.provenLimit == nil)
        rule.sessionStands(for: .seconds(4))
        #expect(rule.provenLimit == nil)
        rule.sessionStands(for: .seconds(5))
        #expect(rule.provenLimit == 3999 && rule.trialLimit == nil)
        _ = fail(&rule)
        #expect(rule.provenLimit == nil)
    }

    /// The largest message is held back first, then the next.
    @Test func twoTooLargeMessagesAreFoundOneByOne() {
        var rule = ReconnectRule()
        for _ in 0..<2 { _ = end(&rule, with: [large, larger]) }
        #expect(rule.trialLimit == 15_999)
        _ = end(&rule, with: [large])
        #expect(rule.trialLimit == 3999)
        rule.sessionStands(for: .seconds(5))
        #expect(rule.provenLimit == 3999)
    }

    /// A rival also ends the sessions without the suspected messages, so they are not too large.
    @Test func aRivalClearsTheSuspects() {
        var rule = ReconnectRule()
        for _ in 0..<6 { _ = end(&rule, with: [large, larger, small]) }
        #expect(rule.trialLimit == nil && rule.provenLimit == nil)
    }

    @Test func smallMessagesAndOthersAreNotSuspected() {
        var rule = ReconnectRule()
        for _ in 0..<3 { _ = end(&rule, with: [small]) }
        rule = ReconnectRule()
        _ = end(&rule, with: [large])
        _ = end(&rule, with: [larger])
        #expect(rule.trialLimit == nil)
    }

    /// The predicted path has another size each time.
    @Test func aTooLargeMessageOfChangingSizeIsFoundSoon() {
        var rule = ReconnectRule()
        var sessions = 0
        for bytes in (3001...7100).reversed() where bytes <= rule.provenLimit ?? .max {
            rule.refused(.init(topic: "path", bytes: bytes))
            sessions += 1
        }
        #expect(sessions <= 5, "\(sessions)")
        // Another topic starts with its exact size.
        rule.refused(.init(topic: "other", bytes: 2900))
        #expect(rule.provenLimit == 2899)
    }
}
