import Testing

@testable import MosquittoClient

@Suite struct PacketLimitTests {
    private let start = ContinuousClock.now
    private let large = PacketLimit.Message(topic: "large", bytes: 4000)
    private let small = PacketLimit.Message(topic: "small", bytes: 300)

    @Test func theBrokersWordCounts() {
        var limit = PacketLimit()
        #expect(limit.bytes(told: 3000, at: start) == 3000)
        #expect(limit.bytes(told: nil, at: start) == nil)
    }

    /// A hang-up alone can have any reason; twice with the same message under way is none of chance.
    @Test func learnsFromTheSecondHangUp() {
        var limit = PacketLimit()
        #expect(limit.sessionEnded(underWay: [small, large], isCertain: false, at: start) == nil)
        #expect(limit.isSuspicious)
        #expect(limit.sessionEnded(underWay: [large], isCertain: false, at: start) == large)
        #expect(limit.bytes(told: nil, at: start) == 3999)
        #expect(limit.bytes(told: 3000, at: start) == 3000)
        #expect(limit.bytes(told: nil, at: start + .seconds(3600)) == nil)
    }

    @Test func learnsAtOnceWhereTheBrokerSaysSo() {
        var limit = PacketLimit()
        #expect(limit.sessionEnded(underWay: [large, small], isCertain: true, at: start) == large)
    }

    /// The predicted path has another size every time: each of them ended a session.
    @Test func aMessageWhoseSizeChangesIsFoundOutSoon() {
        var limit = PacketLimit()
        var sessions = 0
        for bytes in (3001...7100).reversed() {
            if let known = limit.bytes(told: nil, at: start), bytes > known { continue }
            limit.refused(.init(topic: "path", bytes: bytes), at: start)
            sessions += 1
        }
        #expect(sessions <= 5, "\(sessions)")
        // Another topic's is taken by its word.
        limit.refused(.init(topic: "other", bytes: 2900), at: start)
        #expect(limit.bytes(told: nil, at: start) == 2899)
    }

    @Test func smallMessagesAndOthersAreNotSuspected() {
        var limit = PacketLimit()
        for _ in 0..<3 { #expect(limit.sessionEnded(underWay: [small], isCertain: false, at: start) == nil) }
        #expect(!limit.isSuspicious)
        _ = limit.sessionEnded(underWay: [large], isCertain: false, at: start)
        let other = PacketLimit.Message(topic: "other", bytes: 4000)
        #expect(limit.sessionEnded(underWay: [other], isCertain: false, at: start) == nil)
    }
}
