import NIOCore
import NIOHTTP1
import Synchronization

/// The board's event streams. Each is sent its next piece when its connection accepts data. So a slow client costs the
/// memory of one or two pieces and delays nobody.
final class BoardStreams: EventStreams {
    /// The most streams at a time. A new one takes the place of the oldest of the address that has the most.
    static let most = 200

    private struct Stream {
        var channel: any Channel
        var address: String
        var number: UInt64
        var position: BoardChanges.Position
        /// The number of the last sign of life that the stream has been sent.
        var sign: UInt64 = 0
    }

    private struct State {
        var streams: [ObjectIdentifier: Stream] = [:]
        var streamNumber: UInt64 = 0
        var changes = BoardChanges()
        /// The newest sign of life. It goes before all other events.
        var sign = ByteBuffer()
        var signNumber: UInt64 = 0

        var oldestOfTheMost: (key: ObjectIdentifier, value: Stream)? {
            let counts = Dictionary(streams.values.map { ($0.address, 1) }, uniquingKeysWith: +)
            func rank(_ stream: Stream) -> (Int, UInt64) { (-(counts[stream.address] ?? 0), stream.number) }
            return streams.min { rank($0.value) < rank($1.value) }
        }

        mutating func next(for key: ObjectIdentifier) -> ByteBuffer? {
            guard var stream = streams[key] else { return nil }
            defer { streams[key] = stream }
            guard stream.sign < signNumber else { return changes.next(&stream.position) }
            stream.sign = signNumber
            return sign
        }
    }

    private static let preamble = ServerSentEvent.preamble(["alive", "cars", "sondes", "lines", "gone"])

    private let state = Mutex(State())
    private let loop: any EventLoop

    init(on loop: any EventLoop) { self.loop = loop }

    var count: Int { state.withLock { $0.streams.count } }

    /// A new stream always has room: ``add(_:)`` takes a place from the address that has the most.
    func makeRoom(for channel: any Channel) -> Bool { true }

    func add(_ channel: any Channel) {
        let address = channel.clientNetwork
        let displaced = state.withLock { state in
            let displaced = state.streams.count < Self.most ? nil : state.oldestOfTheMost
            if let displaced { state.streams[displaced.key] = nil }
            state.streamNumber &+= 1
            state.streams[ObjectIdentifier(channel)] = Stream(
                channel: channel, address: address, number: state.streamNumber, position: state.changes.begin)
            return displaced?.value.channel
        }
        displaced?.close(promise: nil)
        var first = ByteBuffer(string: Self.preamble)
        first.writeImmutableBuffer(BoardChanges.allGone)
        Self.write(first, to: channel)
        resume(channel)
    }

    func remove(_ channel: any Channel) { state.withLock { $0.streams[ObjectIdentifier(channel)] = nil } }

    func resume(_ channel: any Channel) {
        while channel.isWritable, let bytes = state.withLock({ $0.next(for: ObjectIdentifier(channel)) }) {
            Self.write(bytes, to: channel)
        }
    }

    /// Sends changes to all streams. Any thread may call it.
    /// - Parameter sign: the data of a sign of life.
    func send(_ items: [BoardItem], sign: [UInt8]?) {
        let isHeard = state.withLock { state in
            state.changes.add(items, streams: state.streams.values.map(\.position))
            if let sign {
                state.signNumber &+= 1
                state.sign = ServerSentEvent.bytes("alive", number: state.signNumber, data: sign)
            }
            return !state.streams.isEmpty
        }
        guard isHeard else { return }
        loop.execute {
            for channel in self.state.withLock({ $0.streams.values.map(\.channel) }) { self.resume(channel) }
        }
    }

    private static func write(_ bytes: ByteBuffer, to channel: any Channel) {
        channel.writeAndFlush(HTTPServerResponsePart.body(.byteBuffer(bytes)), promise: nil)
    }
}
