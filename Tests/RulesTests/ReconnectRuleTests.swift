import Gateway
import Testing

@testable import MosquittoClient

@Suite struct ReconnectRuleTests {
    private let now = ContinuousClock.now

    /// - Returns: the pause in milliseconds, for the least random number.
    private func end(
        _ rule: inout ReconnectRule, _ end: ReconnectRule.End = .hangUp, stood: Duration = .milliseconds(50),
        sent: Int = 0, with topics: Set<String> = [], alone: String? = nil
    ) -> Int {
        let isTakenOver = rule.sessionEnded(end, stood: stood, sent: sent, underWay: topics, alone: alone, at: now)
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
            (.oversized, 30_000), (.busy, 750), (.lost, 188), (.unreachable, 188), (.timedOut, 188),
        ] as [(BrokerFailure.Code, Int)])
    func pausesGrowToTheirLimit(_ code: BrokerFailure.Code, _ expected: Int) {
        var rule = ReconnectRule()
        rule.attemptFailed()
        #expect(milliseconds(rule.pause(after: code, random: 0)) == expected)
    }

    /// After six hang-ups a session under another client id stands, so another client has ours.
    @Test func aRivalIsFoundAndLeftTheSession() {
        var rule = ReconnectRule()
        #expect((1...6).map { _ in end(&rule) } == [0, 0, 188, 375, 750, 1500])
        #expect(rule.trial?.duration == .milliseconds(1075) && rule.blame == .onTrial)
        rule.trialAccusesRival()
        #expect(rule.trial == nil)
        #expect((1...4).map { _ in end(&rule) } == [1500, 1500, 300_000, 300_000])
        // The rival returns every 5 minutes. Without a rival a session stands for 10.
        #expect(end(&rule, stood: .seconds(301)) == 300_000)
        #expect(end(&rule, stood: .seconds(601)) == 0)
    }

    /// The trial ends as well: a line that is cut every 8 s, or a limit. No other client is blamed, the pauses stay
    /// short, and a trial does not come again. Only the reason 0x8E proves another client.
    @Test func aLineThatIsCutIsNoRival() {
        var rule = ReconnectRule()
        for _ in 1...6 { _ = end(&rule, stood: .seconds(8)) }
        #expect(rule.trial?.duration == .seconds(13))
        rule.trialEnded(stood: .seconds(8))
        for _ in 1...30 {
            #expect(end(&rule, stood: .seconds(8)) <= 2000)
            #expect(rule.blame == .noClient && rule.trial == nil)
        }
        // The number of messages is not the cause.
        #expect(rule.pace.interval == nil)
        #expect(end(&rule, .takenOver) == 1500)
    }

    /// A broker's limit on the number of messages: sessions stand longer with fewer messages, until one stands.
    @Test func aLimitOnMessagesIsObeyed() {
        var rule = ReconnectRule()
        for _ in 1...6 { _ = end(&rule, stood: .milliseconds(300)) }
        rule.trialEnded(stood: .milliseconds(300))
        #expect(rule.pace.interval == .milliseconds(300))
        _ = end(&rule, stood: .seconds(2))
        #expect(rule.pace.interval == .milliseconds(600))
        for _ in 1...5 { _ = end(&rule, stood: .seconds(6)) }
        #expect(rule.pace.interval == SendingPace.longest)
        _ = end(&rule, stood: .milliseconds(400))
        #expect(rule.pace.interval == nil)
        _ = end(&rule, stood: .milliseconds(400))
        #expect(rule.pace.interval == nil)
    }

    /// A trial must send as much as the busiest session. A session with less to send stands longer, which says nothing
    /// about the pace.
    @Test func aQuietSessionSaysNothingOfALimit() {
        var rule = ReconnectRule()
        for sent in [5, 5, 7, 5, 5, 5] { _ = end(&rule, stood: .milliseconds(sent == 7 ? 1400 : 300), sent: sent) }
        #expect(rule.trial == ReconnectRule.Trial(duration: .milliseconds(3100), messages: 7))
        rule.trialEnded(stood: .seconds(3))
        _ = end(&rule, stood: .milliseconds(700))
        #expect(rule.pace.interval == .milliseconds(600))
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
            _ = end(&rule)
            rule.attemptFailed(isReached: true)
        }
        #expect(end(&rule) == 1500)
        rule = ReconnectRule()
        for _ in 0..<9 { rule.attemptFailed(isReached: true) }
        #expect(milliseconds(rule.pause(after: .lost, random: 0)) == 1500)
        #expect(end(&rule) == 0)
    }

    /// A busy broker is asked again after 1, 2, 4 … 30 s, less the spread of a quarter.
    @Test func aBusyBrokerGetsMoreTime() {
        var rule = ReconnectRule()
        let pauses = (1...7).map { _ in
            rule.attemptFailed(isReached: true)
            return milliseconds(rule.pause(after: .busy, random: 1))
        }
        #expect(pauses == [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000])
    }

    @Test(arguments: [ReconnectRule.End.hangUp, .reason, .other]) func longSessionsDoNotCountAsHangUps(
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

    /// The broker hangs up over one topic, with or without a reason: three sessions find the suspects, the fourth the
    /// topic. Nobody else is blamed, and the next session follows soon.
    @Test(arguments: [ReconnectRule.End.hangUp, .reason]) func theTopicThatEndsSessionsIsLeftOut(
        _ ending: ReconnectRule.End
    ) {
        var rule = ReconnectRule()
        var pauses: [Int] = []
        for others in [["a", "b"], ["a"], ["b", "c"]] as [Set<String>] {
            pauses.append(end(&rule, ending, with: others.union(["bad", "good"])))
        }
        #expect(["bad", "good"].allSatisfy(rule.topics.isSuspected) && !rule.topics.isSuspected("a"))
        rule.topics.passed("good")
        pauses.append(end(&rule, ending, with: ["bad"], alone: "bad"))
        #expect(rule.topics.areLeftOut == ["bad"])
        #expect(pauses.reduce(0, +) < 2000 && pauses.last == (ending == .reason ? 0 : 188))
        #expect(!rule.topics.isSuspected("bad") && !rule.topics.isSuspected("good"))
    }

    /// After an hour the topic is tried again, alone.
    @Test func aTopicIsLeftOutForAnHour() {
        var topics = HangUpTopics()
        topics.leaveOut("bad", at: now)
        let isOut = [3599, 3600].map { topics.leavesOut("bad", at: now + .seconds($0)) }
        #expect(isOut == [true, false] && topics.isSuspected("bad"))
        let isOutAgain = topics.sessionEnded(["bad"], alone: "bad", at: now + .seconds(3601))
        #expect(isOutAgain)
        for number in 0..<100 { topics.leaveOut("\(number)", at: now) }
        #expect(topics.areLeftOut.count == HangUpTopics.limit)
    }

    /// A rival ends sessions whatever is under way: what was blamed for it comes back.
    @Test func aRivalClearsTheSuspects() {
        var rule = ReconnectRule()
        for _ in 0..<3 { _ = end(&rule, with: ["a", "b"]) }
        _ = end(&rule, with: ["a"], alone: "a")
        #expect(rule.topics.areLeftOut == ["a"])
        for _ in 0..<3 { _ = end(&rule) }
        rule.trialAccusesRival()
        #expect(rule.topics.areLeftOut.isEmpty && !rule.topics.isSuspected("b"))
    }

    /// A broker that crashes now and then ends sessions with positions under way.
    @Test func aBrokerThatWasAwaySuspectsNothing() {
        var rule = ReconnectRule()
        for _ in 0..<9 {
            _ = end(&rule, stood: .seconds(100), with: ["position"])
            _ = fail(&rule)
        }
        #expect(!rule.topics.isSuspected("position"))
        // Three sessions that end with nothing in common suspect nothing, either.
        for topic in ["a", "b", "c", "d"] { _ = end(&rule, stood: .seconds(100), with: [topic]) }
        #expect("abcd".allSatisfy { !rule.topics.isSuspected(String($0)) })
    }

    // MARK: - The line

    /// The limit doubles after rounds that ran out of time. What a session needed is the first limit from then on.
    @Test func theTimeLimitGrowsToWhatTheLineNeeds() {
        var limit = ConnectionLimit()
        let limits = (0..<5).map { _ in
            defer { limit.roundTimedOut() }
            return limit.current
        }
        #expect(limits == [4, 8, 16, 32, 32].map { .seconds($0) })
        limit.succeeded(needed: .seconds(5))
        #expect(limit.current == .seconds(10))
        limit.roundTimedOut()
        limit.succeeded(needed: .seconds(1))
        #expect(limit.current == .seconds(10))
    }
}
