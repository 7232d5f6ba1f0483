import FlightMath
import Gateway
import GatewayReports
import Glibc
import NIOCore
import NIOHTTP1
import ReceiverProtocol
import Synchronization

/// Sends the gateway's reports to all event streams: a snapshot first, then changes.
///
/// A report is rendered once for all streams. While a stream's connection is full, its place in ``NewestStates`` stays. So
/// a slow client gets the newest reports later, with their ages at that moment, and does not delay the others.
final class EventHub: ReportFeed, EventStreams {
    /// The most streams at a time.
    static let mostStreams = 100
    /// A client that has not received all data for so long does not read.
    private static let readingLimit = TimeAmount.seconds(6)
    /// The interval between two signs of life.
    static let pace = TimeAmount.seconds(2)
    /// The most events and answers that wait for a stream. With more the stream is closed.
    private static let mostHappenings = 100

    /// What a report replaces while it waits.
    private enum Key: Hashable {
        /// An earlier report of this kind.
        case state(Report.Kind)
        /// Nothing: events and answers. The number of the change before it makes it unique.
        case happening(after: UInt64)
    }

    private typealias Waiting = NewestStates<Key, WaitingEvent>

    private struct Stream {
        var channel: any Channel
        var address: String
        /// The later the higher.
        var number: UInt64
        var position: Waiting.Position
        /// When the client had last received all data; checked once in ``pace``.
        var caughtUpAt = NIODeadline.now()
    }

    private struct State {
        var snapshot = Snapshot()
        var recent = RecentEvents()
        /// Reports on their way to the streams.
        var waiting = Waiting(mostPassing: EventHub.mostHappenings, batch: 1)
        var isFlushDue = false
        var streams: [ObjectIdentifier: Stream] = [:]
        /// The newest event's.
        var number: UInt64 = 0
        var streamNumber: UInt64 = 0
        var heartbeat: Scheduled<Void>?

        mutating func next() -> UInt64 {
            number &+= 1
            return number
        }

        mutating func add(_ report: Report) {
            let kind = report.kind
            waiting.add(
                WaitingEvent(report), for: kind.isHappening ? .happening(after: waiting.newest) : .state(kind),
                isPassing: kind.isHappening, streams: streams.values.map(\.position))
        }

        /// Who has the places. The server waits for a client that does not read.
        func holders(at now: NIODeadline) -> [ObjectIdentifier: AddressShare.Holder] {
            streams.mapValues { stream in
                let isReading = now - stream.caughtUpAt <= EventHub.readingLimit
                return AddressShare.Holder(
                    address: stream.address, number: stream.number,
                    waitingSince: isReading ? nil : stream.caughtUpAt)
            }
        }

        /// The waiting events of a stream; nil if there are none, or if the connection is full.
        mutating func due(for key: ObjectIdentifier, at now: Moment) -> ByteBuffer? {
            guard var stream = streams[key], stream.channel.isWritable, !waiting.isLate(stream.position) else {
                return nil
            }
            var all = ByteBuffer()
            while let change = waiting.next(after: stream.position.sent) {
                // Numbered now, because signs of life may have been sent since it was added.
                let number = change.value.number ?? next()
                all.writeImmutableBuffer(change.value.bytes(number: number, at: now))
                stream.position.sent = change.number
            }
            streams[key] = stream
            return all.readableBytes > 0 ? all : nil
        }
    }

    private let state = Mutex(State())
    private let replies: CommandReplies
    private let loop: any EventLoop
    private let clock: any GatewayClock
    /// Learns that a stream began, or that the last one ended.
    private let watched: @Sendable (Bool) -> Void

    init(
        replies: CommandReplies, loop: any EventLoop, clock: any GatewayClock,
        watched: @escaping @Sendable (Bool) -> Void
    ) {
        self.watched = watched
        self.replies = replies
        self.loop = loop
        self.clock = clock
    }

    /// The followed sonde's serial.
    var serial: SondeSerial? { state.withLock { $0.snapshot.serial } }
    /// The newest report of each kind.
    var snapshot: Snapshot { state.withLock { $0.snapshot } }
    /// The last events, as an answer.
    var recentEvents: Answer { state.withLock { $0.recent }.answer(at: clock.now) }
    /// The number of open streams.
    var count: Int { state.withLock { $0.streams.count } }

    func handle(_ report: Report, at now: Moment) {
        if case .answer(let answer) = report {
            replies.deliver(answer)
            guard answer.isForEverybody else { return }
        }
        let mustWake = state.withLock { state in
            state.snapshot.update(with: report)
            state.recent.add(report)
            guard !state.streams.isEmpty else { return false }
            state.add(report)
            defer { state.isFlushDue = true }
            return !state.isFlushDue
        }
        if mustWake { loop.execute { self.distribute() } }
    }

    // MARK: - Streams (on the event loop)

    /// If there are too many streams, closes one by the rule of ``AddressShare``. A page that reads keeps its stream
    /// against others of its address: otherwise pages beyond the limit would take it from one another for ever.
    func makeRoom(for channel: any Channel) -> Bool {
        let address = channel.clientNetwork
        let (hasRoom, displaced) = state.withLock { state -> (Bool, (any Channel)?) in
            guard state.streams.count >= Self.mostStreams else { return (true, nil) }
            guard let key = AddressShare.displaced(by: address, state.holders(at: .now())) else {
                return (false, nil)
            }
            return (true, state.streams.removeValue(forKey: key)?.channel)
        }
        if let displaced {
            // Otherwise the browser would open its stream again at once.
            Self.write(ServerSentEvent.replaced, to: displaced)
            displaced.close(promise: nil)
        }
        return hasRoom
    }

    /// Begins a stream. ``makeRoom(for:)`` comes before.
    func add(_ channel: any Channel) {
        let now = clock.now
        let first = state.withLock { state in
            var buffer = ByteBuffer(string: ServerSentEvent.preamble)
            buffer.writeImmutableBuffer(ServerSentEvent.alive(number: state.next(), at: now))
            for report in state.snapshot.reports {
                buffer.writeImmutableBuffer(
                    ServerSentEvent.bytes(of: report, number: state.next(), at: now))
            }
            state.streamNumber &+= 1
            state.streams[ObjectIdentifier(channel)] = Stream(
                channel: channel, address: channel.clientNetwork, number: state.streamNumber,
                position: state.waiting.begin(hasSnapshot: true))
            return buffer
        }
        Self.write(first, to: channel)
        watched(true)
        beat()
    }

    func remove(_ channel: any Channel) {
        let isLast = state.withLock { state in
            state.streams[ObjectIdentifier(channel)] = nil
            guard state.streams.isEmpty else { return false }
            state.heartbeat?.cancel()
            state.heartbeat = nil
            return true
        }
        if isLast { watched(false) }
    }

    /// The connection accepts data again.
    func resume(_ channel: any Channel) {
        let now = clock.now
        let next = state.withLock { $0.due(for: ObjectIdentifier(channel), at: now) }
        if let next { Self.write(next, to: channel) }
    }

    private func distribute() {
        let now = clock.now
        let (due, late) = state.withLock { state in
            state.isFlushDue = false
            var late: [any Channel] = []
            var due: [(any Channel, ByteBuffer)] = []
            for (key, stream) in state.streams {
                if state.waiting.isLate(stream.position) {
                    // The browser connects again and gets a snapshot.
                    state.streams[key] = nil
                    late.append(stream.channel)
                } else if let bytes = state.due(for: key, at: now) {
                    due.append((stream.channel, bytes))
                }
            }
            return (due, late)
        }
        for (channel, bytes) in due { Self.write(bytes, to: channel) }
        for channel in late { channel.close(promise: nil) }
    }

    private func beat() {
        state.withLock { state in
            guard state.heartbeat == nil, !state.streams.isEmpty else { return }
            state.heartbeat = loop.scheduleTask(in: Self.pace) {
                let now = self.clock.now
                let (bytes, channels) = self.state.withLock { state in
                    state.heartbeat = nil
                    for (key, stream) in state.streams where stream.channel.hasDelivered {
                        state.streams[key]?.caughtUpAt = .now()
                    }
                    return (
                        ServerSentEvent.alive(number: state.next(), at: now),
                        state.streams.values.map(\.channel).filter(\.isWritable)
                    )
                }
                for channel in channels { Self.write(bytes, to: channel) }
                self.beat()
            }
        }
    }

    private static func write(_ bytes: ByteBuffer, to channel: any Channel) {
        channel.writeAndFlush(HTTPServerResponsePart.body(.byteBuffer(bytes)), promise: nil)
    }
}

extension Channel {
    /// The client's machine has acknowledged all data. Call it on the channel's event loop.
    fileprivate var hasDelivered: Bool {
        guard isWritable else { return false }
        var unacknowledged: Int32 = 0
        let result = try? pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) {
            ioctl($0, UInt(TIOCOUTQ), &unacknowledged)
        }
        return result == 0 && unacknowledged == 0
    }
}

extension AnswerReport {
    /// All clients may see the answer. One to a private response topic goes only to its client.
    fileprivate var isForEverybody: Bool {
        switch answer.origin.reply {
        case .mqtt(let topic, _): topic == nil
        case .page: true
        }
    }
}
