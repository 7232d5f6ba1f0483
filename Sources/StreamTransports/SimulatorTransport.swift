public import GatewayCore
import ReceiverProtocol
public import ReceiverSimulator
import Synchronization

/// A simulated receiver in this process. It flies on while the link is down, as a real one would.
public final class SimulatorTransport: ReceiverTransport {
    private let simulator: Mutex<ReceiverSimulator>
    private let speed: Double
    private let startedAt = ContinuousClock.now

    /// - Parameter speed: 1 is real time: one frame a second.
    public init(options: SimulatorOptions, speed: Double) {
        simulator = Mutex(ReceiverSimulator(options: options))
        self.speed = speed
    }

    public var name: String { "simulator" }

    public func connect() async throws(TransportError) -> any ReceiverConnection {
        catchUp()
        guard simulator.withLock({ $0.canConnect }) else {
            throw TransportError(.unreachable, "the simulated receiver is out of reach")
        }
        return SimulatorConnection(self)
    }

    /// Simulated seconds that real time has reached.
    private var due: Double { (ContinuousClock.now - startedAt) / .seconds(1) * speed }

    /// Without a link nobody hears what the receiver prints.
    private func catchUp() {
        let due = due
        simulator.withLock { while $0.elapsed + 1 < due { _ = $0.nextSecond() } }
    }

    fileprivate func nextSecond() async throws(TransportError) -> [ReceiverSimulator.Output] {
        let wait = simulator.withLock { $0.elapsed + 1 } / speed
        do {
            try await Task.sleep(until: startedAt.advanced(by: .seconds(wait)), clock: .continuous)
        } catch {
            throw TransportError(.cancelled, "cancelled")
        }
        return simulator.withLock { $0.nextSecond() }
    }

    fileprivate func receive(_ bytes: [UInt8]) {
        simulator.withLock { $0.receive(bytes) }
    }
}

private final class SimulatorConnection: ReceiverConnection {
    let peer = ReceiverPeer(name: "MySondyGO-SIM", maximumWriteLength: 128)
    private let transport: SimulatorTransport
    private let pending = Mutex<[ReceiverSimulator.Output]>([])
    private let isClosed = Mutex(false)

    init(_ transport: SimulatorTransport) {
        self.transport = transport
    }

    func next() async throws(TransportError) -> ReceivedChunk? {
        while true {
            if isClosed.withLock({ $0 }) { throw TransportError(.cancelled, "closed") }
            let output = pending.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            switch output {
            case .bytes(let bytes): return ReceivedChunk(bytes: bytes, at: .now)
            case .hangUp: throw TransportError(.closedByPeer, "the simulated receiver hung up")
            case nil:
                let outputs = try await transport.nextSecond()
                pending.withLock { $0 = outputs }
            }
        }
    }

    func write(_ bytes: [UInt8]) async throws(TransportError) { transport.receive(bytes) }
    func close() async { isClosed.withLock { $0 = true } }
}
