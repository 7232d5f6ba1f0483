import Gateway
import GatewayReports
import ReceiverProtocol
import Testing

@testable import GatewayRuntime
@testable import MosquittoClient

/// Home Assistant's device, the longest message, beside live positions: the outbox and the window in virtual time, over
/// lines of some bytes a second, with and without a bucket that passes a burst at once.
@Suite struct LongMessageTests {
    /// Bytes a second.
    private static let slow = [300.0, 600, 1200, 2000]
    private static let good = [8000.0, 50_000]
    /// Seconds.
    private static let roundTrips = [0.002, 0.05, 1.5]

    /// Without a burst, with that of a usual shaper, and with three seconds of the line.
    private static func buckets(_ rate: Double) -> [Double] { [0, 4000, rate * 3] }

    /// No live position waits for the long message, whatever small messages promise.
    @Test(arguments: slow + [4000] + good, roundTrips) func positionsStayNew(_ rate: Double, _ roundTrip: Double) {
        // A near line has no bucket.
        for bucket in roundTrip < 0.01 ? [0] : Self.buckets(rate) {
            var session = ModelledSession(rate, roundTrip: roundTrip, bucket: bucket)
            session.run(180, flight: 180)
            let ages = session.ages.sorted()
            let largest = ages.last ?? .infinity
            let text = "bucket \(bucket), largest age \(largest), \(ages.count) of 180, \(session.deviceAt ?? 0)"
            #expect(largest < roundTrip + (rate < 600 ? 8 : 6), "\(text)")
            #expect(Double(ages.count) > min(150, rate / 20), "\(text)")
            #expect(session.isWide == false || rate > 4000, "\(text)")
        }
    }

    /// Over a good line it goes in the flight, and over each line soon after the last position.
    @Test(arguments: slow + [4000] + good, roundTrips) func theLongMessageGoes(_ rate: Double, _ roundTrip: Double) {
        for bucket in Self.buckets(rate) {
            var session = ModelledSession(rate, roundTrip: roundTrip, bucket: bucket)
            session.run(260, flight: 120)
            let limit = Self.good.contains(rate) ? 40 : 120 + 25 + 25_000 / rate + roundTrip * 3
            #expect(session.deviceAt ?? .infinity < limit, "bucket \(bucket)")
        }
    }

    /// What the session's start tells of a good, near line is enough.
    @Test func aNearLineNeedsNoProbe() {
        var session = ModelledSession(50_000, roundTrip: 0.002, bucket: 0)
        session.run(30, flight: 30)
        #expect(session.deviceAt ?? .infinity < 2 && session.probeBytes == 0)
    }

    /// A line that proves nothing is asked seldom.
    @Test(arguments: slow) func probesAreFew(_ rate: Double) {
        var session = ModelledSession(rate, roundTrip: 0.05, bucket: 0)
        session.run(3600, flight: 3600)
        #expect(session.deviceAt == nil && session.probeBytes < 150_000, "\(session.probeBytes)")
    }
}

/// A session that begins with everything, gets Home Assistant's device a second later, and then the messages of a flight.
private struct ModelledSession {
    static let device = "homeassistant/device/car/config"
    /// Bytes of the retained messages at the start, as a gateway with a receiver has them.
    private static let retained = [626, 7, 415, 6, 429, 335, 2, 2, 2, 13, 2, 1481, 2, 2, 12, 13, 2, 15]

    private let bytesPerSecond: Double
    private let roundTrip: Double
    /// So many bytes pass at once after a pause.
    private let bucket: Double
    private var tokens: Double
    private var freeAt = 0.0
    private var now = 0.0
    private var window = SendWindow()
    private var outbox = Outbox()
    private var probe = LineProbe()
    private var underWay: [(topic: String, ticket: SendWindow.Ticket, acknowledgedAt: Double)] = []
    private let began = ContinuousClock.now

    /// For each position that arrived live, how old it was, in seconds.
    private(set) var ages: [Double] = []
    private(set) var deviceAt: Double?
    private(set) var probeBytes = 0
    /// The window was so at some time.
    private(set) var isWide = false

    init(_ bytesPerSecond: Double, roundTrip: Double, bucket: Double) {
        (self.bytesPerSecond, self.roundTrip, self.bucket) = (bytesPerSecond, roundTrip, bucket)
        tokens = bucket
        let subscriptions = 300
        now = pass(subscriptions) + roundTrip
        window.subscribed(subscriptions, after: .seconds(now))
        outbox.sessionBegan(at: time)
        addRetained()
    }

    private var instant: ContinuousClock.Instant { began + .seconds(now) }
    private var time: MonotonicTime { MonotonicTime(nanoseconds: 1_000_000_000_000).advanced(by: .seconds(now)) }

    private var line: BrokerLine {
        BrokerLine(isWide: window.isWide, roundTrip: window.roundTrip, provenBytes: window.provenBytes)
    }

    /// - Returns: when the last of the bytes has passed.
    private mutating func pass(_ bytes: Int) -> Double {
        let begin = max(freeAt, now)
        tokens = min(bucket, tokens + (begin - freeAt) * bytesPerSecond)
        let wait = max(0, (Double(bytes) - tokens) / bytesPerSecond)
        tokens = max(0, tokens - Double(bytes))
        freeAt = begin + wait
        return freeAt
    }

    // MARK: - What is sent

    private mutating func add(_ topic: String, _ bytes: Int, isPosition: Bool = false) {
        var payload = [UInt8](repeating: 0, count: max(bytes, 2))
        // The message's second, for the position's age.
        payload.replaceSubrange(0..<2, with: [UInt8(Int(now) / 256), UInt8(Int(now) % 256)])
        let message = OutgoingMessage(
            topic: topic, payload: payload, isRetained: true, historyTopic: isPosition ? "history" : nil)
        outbox.saw([message], at: time)
        _ = outbox.add(message, at: time)
    }

    private mutating func addRetained(from least: Int = 0) {
        for (number, bytes) in Self.retained.enumerated() where bytes >= least {
            add("sondygo/car/topic\(number)", bytes)
        }
    }

    private mutating func addFrame(_ second: Int) {
        add("sondygo/car/position", 411, isPosition: true)
        add("sondygo/car/radio", 426)
        if second % 4 == 0 {
            add("sondygo/car/topic5", 465)
            add("sondygo/car/homeassistant", 760)
        }
        if second % 7 == 0 { add("sondygo/car/topic2", 447) }
        if second % 30 == 0 { add("sondygo/car/topic11", 1486) }
        if second % 60 == 0 { add("sondygo/car/topic6", 3000) }
    }

    // MARK: - The line

    /// - Parameter flight: positions come for so many seconds.
    mutating func run(_ seconds: Int, flight: Int) {
        let first = Int(now) + 1
        for second in first..<first + seconds {
            while let next = underWay.first, next.acknowledgedAt < Double(second) {
                now = max(now, next.acknowledgedAt)
                while let done = underWay.first, done.acknowledgedAt <= now {
                    underWay.removeFirst()
                    window.acknowledged(done.ticket, at: instant)
                    isWide = isWide || window.isWide
                }
                drain()
            }
            now = Double(second)
            if second == first { add(Self.device, 20_900) }
            if second < first + flight { addFrame(second) }
            drain()
        }
    }

    private mutating func drain() {
        repeat { sendWaiting() } while addProbe()
    }

    private mutating func addProbe() -> Bool {
        guard let bytes = outbox.longestHeld(over: line, at: time),
            probe.wantsRound(for: bytes, line.roundTrip ?? .zero, at: time)
        else { return false }
        addRetained(from: LineProbe.leastBytes)
        let sum = Self.retained.filter { $0 >= LineProbe.leastBytes }.reduce(0, +)
        probeBytes += sum
        probe.sent(sum)
        return true
    }

    private mutating func sendWaiting() {
        var segment: [(message: OutgoingMessage, ticket: SendWindow.Ticket, bytes: Int)] = []
        var (waiting, sending, left) = (outbox, window, outbox.count)
        let instant = self.instant
        waiting.drain(over: line, at: time) { message in
            guard !sending.isFull, sending.room(at: instant) > 0 else { return false }
            left -= 1
            let bytes = message.packetBytes(.v5)
            let ticket = sending.sent(bytes: bytes, isAcknowledged: true, isBacklogged: left > 0, at: instant)
            segment.append((message, ticket, bytes))
            return true
        }
        (outbox, window) = (waiting, sending)
        // What is sent together shares segments, and a message arrives with the last byte of its segment.
        while !segment.isEmpty {
            var sum = 0
            let end = segment.firstIndex { entry in
                sum += entry.bytes
                return sum >= 1400
            }
            let count = (end ?? segment.count - 1) + 1
            arrive(segment.prefix(count).map { ($0.message, $0.ticket) }, bytes: sum)
            segment.removeFirst(count)
        }
    }

    private mutating func arrive(_ messages: [(OutgoingMessage, SendWindow.Ticket)], bytes: Int) {
        let passed = pass(bytes)
        for (message, ticket) in messages {
            underWay.append((message.topic, ticket, passed + roundTrip))
            let arrivedAt = passed + roundTrip / 2
            if message.topic == Self.device { deviceAt = arrivedAt }
            guard message.historyTopic != nil else { continue }
            ages.append(arrivedAt - Double(Int(message.payload[0]) * 256 + Int(message.payload[1])))
        }
    }
}
