import NIOCore
import NIOHTTP1
import Synchronization

/// The board's event streams. All get the same events; a stream whose connection is full gets everything anew when it
/// accepts data again. So a slow client costs no memory and delays nobody.
final class BoardStreams: EventStreams {
    /// The most streams at a time. A new one takes the place of the oldest.
    static let most = 64

    private struct Stream {
        var channel: any Channel
        var number: UInt64
        /// It has missed events.
        var isBehind = false
    }

    private struct State {
        var streams: [ObjectIdentifier: Stream] = [:]
        var number: UInt64 = 0

        mutating func next() -> UInt64 {
            number &+= 1
            return number
        }
    }

    private static let names = ["alive", "cars", "sondes", "lines", "gone"]
    private static let preamble =
        "retry: 2000\nevent: topics\ndata: [\(names.map { "\"\($0)\"" }.joined(separator: ","))]\n\n"

    private let state = Mutex(State())
    private let loop: any EventLoop
    private let everything: @Sendable () -> [BoardEvent]

    init(on loop: any EventLoop, everything: @escaping @Sendable () -> [BoardEvent]) {
        self.loop = loop
        self.everything = everything
    }

    var count: Int { state.withLock { $0.streams.count } }

    func add(_ channel: any Channel) {
        let displaced = state.withLock { state in
            let oldest = state.streams.min { $0.value.number < $1.value.number }
            let displaced = state.streams.count < Self.most ? nil : oldest
            if let displaced { state.streams[displaced.key] = nil }
            state.streams[ObjectIdentifier(channel)] = Stream(channel: channel, number: state.next())
            return displaced?.value.channel
        }
        displaced?.close(promise: nil)
        Self.write(ByteBuffer(string: Self.preamble), to: channel)
        writeEverything(to: channel)
    }

    func remove(_ channel: any Channel) { state.withLock { $0.streams[ObjectIdentifier(channel)] = nil } }

    func resume(_ channel: any Channel) {
        let wasBehind = state.withLock { state in
            let key = ObjectIdentifier(channel)
            defer { state.streams[key]?.isBehind = false }
            return state.streams[key]?.isBehind ?? false
        }
        if wasBehind { writeEverything(to: channel) }
    }

    /// From any thread.
    func send(_ events: [BoardEvent]) {
        guard !events.isEmpty, count > 0 else { return }
        loop.execute { self.distribute(events) }
    }

    private func distribute(_ events: [BoardEvent]) {
        let bytes = bytes(of: events)
        let due = state.withLock { state in
            var due: [any Channel] = []
            for (key, stream) in state.streams where !stream.isBehind {
                if stream.channel.isWritable { due.append(stream.channel) } else { state.streams[key]?.isBehind = true }
            }
            return due
        }
        for channel in due { Self.write(bytes, to: channel) }
    }

    private func writeEverything(to channel: any Channel) {
        let anew = BoardEvent(name: "gone", data: Array(#"{"all":true}"#.utf8))
        Self.write(bytes(of: [anew] + everything()), to: channel)
    }

    private func bytes(of events: [BoardEvent]) -> ByteBuffer {
        var buffer = ByteBuffer()
        for event in events {
            let number = state.withLock { $0.next() }
            buffer.writeImmutableBuffer(ServerSentEvent.bytes(event.name, number: number, data: event.data))
        }
        return buffer
    }

    private static func write(_ bytes: ByteBuffer, to channel: any Channel) {
        channel.writeAndFlush(HTTPServerResponsePart.body(.byteBuffer(bytes)), promise: nil)
    }
}
