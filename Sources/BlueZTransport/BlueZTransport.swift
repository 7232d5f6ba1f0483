public import BluetoothProtocol
public import Gateway
public import GatewayReports
import ReceiverProtocol
import Synchronization
import Threads
import TransportIO

/// The receiver over Bluetooth LE. The kernel's management interface finds it, and an L2CAP socket on the ATT channel
/// is the link. It works with and without bluetoothd.
public final class BlueZTransport: ReceiverTransport {
    private let choice: AdapterChoice
    private let filter: ReceiverFilter
    private let memory: any ReceiverMemory
    private let state: Mutex<State>

    private struct State {
        var ladder: LinkLadder
        var remembered: RememberedReceiver?
        var hasRecalled = false
        var isFirstAttempt = true
        var toldAdvice: LinkAdvice?
        var toldOthers: Set<String> = []
    }

    /// How long the first attempt waits for the receiver of an earlier run.
    private static let recallLimit = Duration.milliseconds(300)
    /// The most remembered receivers that were reported as not used.
    private static let othersLimit = 64

    /// - Parameters:
    ///   - filter: recognises receivers.
    public init(
        adapter choice: AdapterChoice, filter: ReceiverFilter, memory: any ReceiverMemory
    ) {
        self.choice = choice
        self.filter = filter
        self.memory = memory
        state = Mutex(State(ladder: LinkLadder(filter: filter, last: nil)))
    }

    public var name: String {
        "ble \(filter.address?.description ?? filter.names.joined(separator: "|"))"
    }

    /// The pauses are short, because each attempt itself waits for the receiver.
    public var backoff: Backoff { Backoff(first: .milliseconds(500), limit: .seconds(2)) }

    public func connect(
        report: @escaping @Sendable (LinkReport) -> Void
    ) async throws(TransportError) -> any ReceiverConnection {
        await recall()
        let attempt = beginAttempt(report)
        let session = try RadioSession(
            adapter: choice,
            report: { [self] in if isNews($0) { report($0) } },
            onEnd: { [self] outcome, lingers in
                state.withLock { $0.ladder.ended(outcome, lingers: lingers, at: .now) }
            })
        let link = try await session.open(LinkMachine(attempt, adapter: choice, blocked: RadioSwitch.blocked()))
        return BlueZConnection(session: session, peer: reached(link))
    }

    /// Reads the last receiver before the first attempt. If the answer is late, the next attempt uses it.
    private func recall() async {
        let isFirst = state.withLock { state in
            defer { state.hasRecalled = true }
            return !state.hasRecalled
        }
        guard isFirst else { return }
        await wait(atMost: Self.recallLimit) { [self] in
            guard let receiver = await memory.recall() else { return }
            state.withLock { state in
                state.remembered = state.remembered ?? receiver
                if let device = receiver.device { state.ladder.recall(device) }
            }
        }
    }

    private func beginAttempt(_ report: (LinkReport) -> Void) -> LinkAttempt {
        let (attempt, reports) = state.withLock { state -> (LinkAttempt, [LinkReport]) in
            let now = MonotonicTime.now
            let attempt = state.ladder.next(at: now)
            var reports: [LinkReport] = []
            if !state.isFirstAttempt {
                reports.append(.repairing(attempt.rung, withoutLink: state.ladder.timeWithoutLink(at: now)))
            }
            state.isFirstAttempt = false
            if let advice = state.ladder.advice, advice != state.toldAdvice { reports.append(.advice(advice)) }
            state.toldAdvice = state.ladder.advice
            return (attempt, reports)
        }
        for line in reports { report(line) }
        return attempt
    }

    private func reached(_ link: LinkMachine.OpenedLink) -> ReceiverPeer {
        let address = link.device.address.description
        let receiver = state.withLock { state in
            state.ladder.reached(link.device)
            let known = state.remembered.flatMap { $0.device == link.device ? $0.name : nil }
            let receiver = RememberedReceiver(
                address: address, isRandom: link.device.kind == .random, name: link.name ?? known)
            state.remembered = receiver
            return receiver
        }
        Task { await memory.remember(receiver) }
        return ReceiverPeer(
            name: receiver.name ?? address, address: address, rssiDBm: link.rssiDBm,
            maximumWriteLength: link.session.maximumWriteLength)
    }

    /// Whether the report is new. Each receiver that is not used is reported once.
    private func isNews(_ report: LinkReport) -> Bool {
        guard case .passedOver(_, let address) = report else { return true }
        return state.withLock { state in
            state.toldOthers.count < Self.othersLimit && state.toldOthers.insert(address).inserted
        }
    }
}

/// An open link over Bluetooth LE.
private struct BlueZConnection: ReceiverConnection {
    let session: RadioSession
    let peer: ReceiverPeer

    func next() async throws(TransportError) -> ReceivedChunk? { try await session.mailbox.next() }
    func write(_ bytes: [UInt8]) async throws(TransportError) { try await session.write(bytes) }
    func close() async { await session.close() }
}

extension RememberedReceiver {
    /// Nil if the text is not an address.
    fileprivate var device: LEAddress? {
        BluetoothAddress(address).map { LEAddress($0, isRandom ? .random : .public) }
    }
}
