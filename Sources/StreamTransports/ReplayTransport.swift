public import GatewayCore
import Glibc
import ReceiverProtocol
import Synchronization
import TransportIO

/// A raw log played back with its own timing. Commands written to it go nowhere: a recording can't answer.
public struct ReplayTransport: ReceiverTransport {
    private let file: String
    private let speed: Double

    /// - Parameter speed: 1 is real time, 10 ten times as fast.
    public init(file: String, speed: Double) {
        self.file = file
        self.speed = speed
    }

    public var name: String { "replay \(file)" }

    public func connect(
        report: @escaping @Sendable (LinkReport) -> Void
    ) async throws(TransportError) -> any ReceiverConnection {
        ReplayConnection(try LineReader(path: file, limit: RawLogRecord.maximumLineLength), file: file, speed: speed)
    }
}

private final class ReplayConnection: ReceiverConnection {
    let peer: ReceiverPeer
    private let file: String
    private let speed: Double
    private let state: Mutex<State>

    private struct State: ~Copyable {
        var lines: LineReader
        var last: MonotonicTime?
        var due = ContinuousClock.now
    }

    init(_ lines: consuming LineReader, file: String, speed: Double) {
        peer = ReceiverPeer(name: file, maximumWriteLength: 128)
        self.file = file
        self.speed = speed
        state = Mutex(State(lines: lines))
    }

    func next() async throws(TransportError) -> ReceivedChunk? {
        let step = try state.withLock { (state) throws(TransportError) in try nextStep(&state) }
        guard let (record, due) = step else { return nil }
        if due > .now {
            do {
                try await Task.sleep(until: due, clock: .continuous)
            } catch {
                throw TransportError(.cancelled, "cancelled")
            }
        }
        return ReceivedChunk(bytes: record.bytes, at: .now)
    }

    private func nextStep(
        _ state: inout State
    ) throws(TransportError) -> (RawLogRecord, ContinuousClock.Instant)? {
        while let line = try state.lines.next() {
            guard !line.isEmpty else { continue }
            guard let record = RawLogRecord(line: line) else {
                throw TransportError(.invalidData, "\(file):\(state.lines.lineNumber): not a line of a raw log")
            }
            // A recording process that was restarted begins a new clock.
            let gap = state.last.map { record.monotonic.milliseconds(since: $0) } ?? 0
            state.last = record.monotonic
            state.due = state.due.advanced(by: .seconds(Double(max(0, gap)) / 1000 / speed))
            return (record, state.due)
        }
        return nil
    }

    func write(_ bytes: [UInt8]) async throws(TransportError) {}
    func close() async {}
}
