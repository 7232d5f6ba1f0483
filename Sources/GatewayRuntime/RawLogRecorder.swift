import FlightMath
import Gateway
public import Logging
public import ServiceLifecycle
import Synchronization

/// Writes each chunk of the receiver's bytes to the raw log while recording is on, on a thread of its own.
public final class RawLogRecorder: Service {
    /// The most chunks that wait for the disk. More are dropped, and a log line says so.
    static let queueLimit = 1000
    /// How long a stop waits for the last records to reach the disk.
    static let closingLimit = Duration.milliseconds(300)

    private struct State {
        var isOn: Bool
        var session = 0
        var dropped = 0
    }

    private let state: Mutex<State>
    private let files: RawLogFiles
    private let log: Logger
    private let records: AsyncStream<RawLogRecord>
    private let continuation: AsyncStream<RawLogRecord>.Continuation

    public init(files: RawLogFiles, isOn: Bool, log: Logger) {
        self.files = files
        self.log = log
        state = Mutex(State(isOn: isOn))
        (records, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.queueLimit))
    }

    public var isOn: Bool {
        get { state.withLock { $0.isOn } }
        set { state.withLock { $0.isOn = newValue } }
    }

    public func run() async throws {
        let thread = ThreadExecutor(named: "raw log")
        thread.start()
        let (end, ended) = AsyncStream<Never>.makeStream()
        Task(executorPreference: thread) { [self] in
            await write()
            ended.finish()
        }
        await withGracefulShutdownHandler {
            for await _ in end {}
        } onGracefulShutdown: {
            self.continuation.finish()
            Task {
                try? await Task.sleep(for: Self.closingLimit)
                ended.finish()
            }
        }
    }

    private func write() async {
        var writer = RawLogWriter(files: files)
        var repeats = RepeatedFaults()
        let clock = SystemGatewayClock()
        var isFailing = false
        for await record in records {
            do throws(RawLogError) {
                try writer.write(record)
                if isFailing { log.notice("raw log is written again") }
                isFailing = false
            } catch {
                isFailing = true
                repeats.log(
                    "raw log can't be written; retrying", level: .error, facts: ["why": "\(error)"], to: log,
                    at: clock.now.monotonic)
            }
        }
    }

    func linkOpened() {
        state.withLock { $0.session += 1 }
    }

    func record(_ chunk: ReceivedChunk, readAt: () -> WallTime) {
        guard let session = state.withLock({ $0.isOn ? $0.session : nil }) else { return }
        let record = RawLogRecord(monotonic: chunk.at, wall: readAt().iso8601, session: session, bytes: chunk.bytes)
        guard case .dropped = continuation.yield(record) else { return }
        let count = state.withLock { state in
            state.dropped += 1
            return state.dropped
        }
        if count == 1 || count % 1000 == 0 {
            log.warning("disk is too slow for the raw log; bytes are left out", metadata: ["records": "\(count)"])
        }
    }
}
