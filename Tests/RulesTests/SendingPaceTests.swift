import Testing

@testable import MosquittoClient

/// The pace for brokers that limit the number of messages, in virtual time.
@Suite struct SendingPaceTests {
    /// A broker that refuses what is above its limit.
    private struct Broker {
        /// Messages a second.
        var limit: Double
        /// It takes so many at once, and then the limit; nil counts the messages of each second.
        var bucket: Double?
        /// It takes nothing before, in seconds.
        var busyUntil = 0.0
        private var taken: [Double] = []
        private var level: (left: Double, at: Double)?
        private(set) var count = 0
        private(set) var refused = 0

        init(_ limit: Double, bucket: Double? = nil, busyUntil: Double = 0) {
            (self.limit, self.bucket, self.busyUntil) = (limit, bucket, busyUntil)
        }

        mutating func takes(at now: Double) -> Bool {
            let isTaken = now >= busyUntil && hasRoom(at: now)
            if isTaken { count += 1 } else { refused += 1 }
            return isTaken
        }

        private mutating func hasRoom(at now: Double) -> Bool {
            guard let bucket else {
                taken.removeAll { now - $0 >= 1 }
                guard Double(taken.count) < limit else { return false }
                taken.append(now)
                return true
            }
            let last = level ?? (bucket, now)
            let left = min(bucket, last.left + (now - last.at) * limit)
            level = (left >= 1 ? left - 1 : left, now)
            return left >= 1
        }
    }

    /// A session that always has something to send, answered after 30 ms.
    private struct Session {
        var pace = SendingPace()
        var now = 0.0
        private var freeAt = 0.0
        private var answers: [(at: Double, turn: SendingPace.Turn, isTaken: Bool)] = []
        private let start = ContinuousClock.now

        private func instant(_ time: Double) -> ContinuousClock.Instant { start + .seconds(time) }

        /// - Parameter most: of the messages a second that there are; nil without an end.
        mutating func run(for time: Double, with broker: inout Broker, most: Double? = nil) {
            let end = now + time
            var (burst, nextAt) = (60, now)
            while now < end {
                for answer in answers where answer.at <= now {
                    if answer.isTaken {
                        let before = pace.interval
                        pace.accepted(answer.turn, at: instant(now))
                        if pace.interval != before { freeAt = min(freeAt, now + seconds(of: pace.interval)) }
                    } else if pace.refused(answer.turn, at: instant(now)) {
                        freeAt = now + max(seconds(of: pace.interval), 1)
                    }
                }
                answers.removeAll { $0.at <= now }
                if now >= max(freeAt, nextAt), pace.interval != nil || burst > 0 {
                    burst -= 1
                    let turn = pace.sent(at: instant(now))
                    let isTaken = broker.takes(at: now)
                    answers.append((now + 0.03, turn, isTaken))
                    nextAt = now + (most.map { 1 / $0 } ?? 0)
                    if pace.interval != nil { freeAt = now + seconds(of: pace.interval) }
                }
                now += 0.001
            }
        }

        private func seconds(of duration: Duration?) -> Double { (duration ?? .zero) / .seconds(1) }
    }

    /// The broker gets nearly as many messages as it takes, and refuses few after the first burst.
    @Test(arguments: [1, 2, 5, 10], [nil, 1, 10, 40] as [Double?])
    func theBrokerGetsWhatItTakes(_ limit: Double, _ bucket: Double?) throws {
        var (session, broker) = (Session(), Broker(limit, bucket: bucket))
        session.run(for: 60, with: &broker)
        let before = (broker.count, broker.refused)
        session.run(for: 300, with: &broker)
        let (taken, refused) = (broker.count - before.0, broker.refused - before.1)
        #expect(Double(taken) > 300 * limit * 0.75, "\(taken) taken at \(limit)/s")
        #expect(refused < 20, "\(refused) refused")
        #expect(session.pace.interval != nil)
    }

    /// A broker that takes nothing for 8 s was busy: it gets everything soon after that.
    @Test func aBusyBrokerGetsEverythingAgain() {
        var (session, broker) = (Session(), Broker(1000, busyUntil: 8))
        session.run(for: 8, with: &broker)
        #expect(session.pace.interval == SendingPace.longest)
        session.run(for: 7, with: &broker)
        #expect(session.pace.interval == nil)
    }

    /// The limit is lifted, or was a burst: messages that wait show it. Without any that wait nothing is known.
    @Test func thePaceIsLetGo() {
        var (session, broker) = (Session(), Broker(2))
        session.run(for: 20, with: &broker)
        broker.limit = 1000
        var quiet = session
        quiet.run(for: 600, with: &broker, most: 0.5)
        #expect(quiet.pace.interval == session.pace.interval)
        session.run(for: 120, with: &broker)
        #expect(session.pace.interval == nil)
    }

    /// Another broker has another limit. What made sessions end may be the line.
    @Test func anotherBrokerBeginsAnew() {
        var rule = ReconnectRule()
        rule.sessionBegins(with: "a")
        rule.pace.refused(at: .now)
        rule.sessionBegins(with: "a")
        #expect(rule.pace.interval == SendingPace.firstAfterNone)
        rule.sessionBegins(with: "b")
        #expect(rule.pace.interval == nil)
        rule.trialEnded(stood: .seconds(1))
        rule.sessionBegins(with: "a")
        #expect(rule.pace.interval == SendingPace.shortest)
    }
}
