import FlightMath
public import Gateway
public import GatewayReports
import ReceiverProtocol
public import ReceiverSimulator
import Synchronization
import TransportIO

/// A simulated receiver in this process. Its flight goes on while the link is closed.
public final class SimulatorTransport: ReceiverTransport {
    private let simulator: Mutex<ReceiverSimulator>
    private let clock: any SourceClock
    /// The most points kept for SondeHub: half a day.
    private static let longestFlight = 43_200
    private let startedAt: MonotonicTime
    /// The flight so far, as SondeHub's records, one a second.
    private let log = Mutex<[SondeHubRecord]>([])

    /// - Parameter clock: the gateway's clock. The receiver prints a frame in each of its seconds.
    public init(options: SimulatorOptions, clock: any SourceClock) {
        simulator = Mutex(ReceiverSimulator(options: options))
        self.clock = clock
        startedAt = clock.now.monotonic
    }

    public var name: String { "simulator" }

    public func connect(
        report: @escaping @Sendable (LinkReport) -> Void
    ) async throws(TransportError) -> any ReceiverConnection {
        catchUp()
        guard simulator.withLock({ $0.canConnect }) else {
            throw TransportError(.unreachable, "the simulated receiver is out of reach")
        }
        return SimulatorConnection(self)
    }

    /// Lets the flight catch up after a time without a link; the frames of that time are lost.
    private func catchUp() {
        let due = clock.now.monotonic.duration(since: startedAt)
        simulator.withLock { while $0.elapsed + .seconds(1) < due { _ = nextSecond(&$0) } }
    }

    fileprivate func nextSecond() async throws(TransportError) -> [ReceiverSimulator.Output] {
        let due = startedAt.advanced(by: simulator.withLock { $0.elapsed + .seconds(1) })
        try await clock.wait(untilDue: due)
        return simulator.withLock { nextSecond(&$0) }
    }

    private func nextSecond(_ simulator: inout ReceiverSimulator) -> [ReceiverSimulator.Output] {
        defer { note(simulator) }
        return simulator.nextSecond()
    }

    private func note(_ simulator: ReceiverSimulator) {
        let (flight, type) = (simulator.flight, simulator.options.sondeType)
        guard flight.phase != .onGround, let serial = SondeSerial(name: simulator.sondeName, type: type) else { return }
        var record = SondeHubRecord(
            serial: serial, sondeType: type, time: clock.now.wall,
            coordinate: Coordinate(latitude: flight.latitude, longitude: flight.longitude),
            altitudeMetres: flight.altitudeMetres)
        record.horizontalSpeed = flight.horizontalSpeed
        record.verticalSpeed = flight.verticalSpeed
        record.frequencyMHz = Double(simulator.options.frequencyKHz) / 1000
        log.withLock { if $0.count < Self.longestFlight { $0.append(record) } }
    }

    fileprivate var now: MonotonicTime { clock.now.monotonic }

    /// Without a link the gateway's time need not wait for the receiver.
    fileprivate func linkEnded() { clock.hold(at: nil) }

    var flown: [SondeHubRecord] { log.withLock { $0 } }

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
            case .bytes(let bytes): return ReceivedChunk(bytes: bytes, at: transport.now)
            case .hangUp:
                transport.linkEnded()
                throw TransportError(.closedByPeer, "the simulated receiver hung up")
            case nil:
                let outputs = try await transport.nextSecond()
                pending.withLock { $0 = outputs }
            }
        }
    }

    func write(_ bytes: [UInt8]) async throws(TransportError) { transport.receive(bytes) }

    func close() async {
        isClosed.withLock { $0 = true }
        transport.linkEnded()
    }
}
