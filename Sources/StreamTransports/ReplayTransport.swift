import FlightMath
public import Gateway
public import GatewayReports
import Glibc
import ReceiverProtocol
import Synchronization
import TransportIO

/// Plays a raw log once, with its own timing. It ignores written commands.
///
/// At a silence in the recording the gateway closes the link as it would a real one. It finds the receiver again when
/// the recording goes on. The same happens at a new session in the recording.
public final class ReplayTransport: ReceiverTransport {
    private let file: String
    fileprivate let clock: any SourceClock
    /// Nil before the first link.
    private let recording = Mutex<Recording?>(nil)

    /// - Parameter clock: the gateway's clock; it sets the speed of the playback.
    public init(file: String, clock: any SourceClock) {
        self.file = file
        self.clock = clock
    }

    public var name: String { "replay \(file)" }

    /// - Throws: code `invalidData` if the file does not begin with a record of a raw log.
    public func check() async throws(TransportError) {
        _ = try await onFile { (recording) throws(TransportError) -> MonotonicTime? in
            recording = try Recording(file: file, start: clock.now.monotonic)
            return try recording?.next()?.due
        }
    }

    public func connect(
        report: @escaping @Sendable (LinkReport) -> Void
    ) async throws(TransportError) -> any ReceiverConnection {
        let due = try await onFile { (recording) throws(TransportError) -> MonotonicTime? in
            if recording == nil { recording = try Recording(file: file, start: clock.now.monotonic) }
            let due = try recording?.next()?.due
            recording?.beginLink()
            return due
        }
        if let due { try await clock.wait(untilDue: due) }
        return ReplayConnection(self, name: file)
    }

    fileprivate func nextStep() async throws(TransportError) -> Recording.Step? {
        try await onFile { (recording) throws(TransportError) in try recording?.next() }
    }

    /// Works on the file, on another thread than the loop's.
    private func onFile<Value: Sendable>(
        _ body: (inout sending Recording?) throws(TransportError) -> Value
    ) async throws(TransportError) -> Value {
        try await withTaskExecutorPreference(globalConcurrentExecutor) { () throws(TransportError) in
            try recording.withLock { (recording) throws(TransportError) in try body(&recording) }
        }
    }

    fileprivate func advance() {
        recording.withLock { $0?.advance() }
    }
}

private final class ReplayConnection: ReceiverConnection {
    let peer: ReceiverPeer
    private let transport: ReplayTransport
    private let isClosed = Atomic(false)

    /// How often a waiting link checks whether it was closed.
    private static let attention = Duration.milliseconds(250)

    init(_ transport: ReplayTransport, name: String) {
        self.transport = transport
        peer = ReceiverPeer(name: name, maximumWriteLength: 128)
    }

    func next() async throws(TransportError) -> ReceivedChunk? {
        let clock = transport.clock
        let step = try await transport.nextStep()
        guard let step, !step.beginsLink else {
            clock.hold(at: nil)
            if step == nil { return nil }
            throw TransportError(.closedByPeer, "the recorded link ends here")
        }
        while true {
            if isClosed.load(ordering: .relaxed) { throw TransportError(.cancelled, "closed") }
            let now = clock.now.monotonic
            guard now < step.due else { break }
            try await clock.wait(untilDue: min(step.due, now.advanced(by: Self.attention)))
        }
        transport.advance()
        return ReceivedChunk(bytes: step.bytes, at: clock.now.monotonic)
    }

    func write(_ bytes: [UInt8]) async throws(TransportError) {}

    func close() async {
        isClosed.store(true, ordering: .relaxed)
        transport.clock.hold(at: nil)
    }
}
