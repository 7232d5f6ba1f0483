public import GatewayReports
public import ReceiverProtocol

/// Listens for devices in range without connecting: readies the adapter, then scans until its owner stops.
public struct ScanMachine: Sendable {
    public enum Event: Equatable, Sendable {
        /// Always the first event; later ones change nothing.
        case start
        /// The answer to ``Action/listAdapters``.
        case adapters([PresentAdapter])
        case management(MgmtEvent)
        case timePassed
    }

    public enum Action: Equatable, Sendable {
        /// Asks for the adapters that are present; the owner answers with ``Event/adapters(_:)``.
        case listAdapters
        case manage(MgmtCommand)
        /// The adapter in use. It is the last action if the machine does not scan.
        case located(Adapter)
        case heard(FoundDevice)
        /// The last action.
        case failed(TransportError)
    }

    private enum State {
        case idle
        case settingUp(AdapterSetup)
        case scanning(Discovery, Adapter, refreshAt: MonotonicTime)
        case ended
    }

    /// After this time a run is started anew. The kernel reports each device once per run, and a table on the screen
    /// should stay current.
    static let refreshInterval = Duration.seconds(3)

    private let choice: AdapterChoice
    private let blocked: Set<AdapterIndex>
    private let scans: Bool
    private var state = State.idle

    /// - Parameters:
    ///   - blocked: the adapters that rfkill has switched off.
    ///   - scans: if false, the machine only finds the adapter and changes nothing.
    public init(adapter choice: AdapterChoice, blocked: Set<AdapterIndex>, scans: Bool) {
        self.choice = choice
        self.blocked = blocked
        self.scans = scans
    }

    /// The next instant at which ``Event/timePassed`` has an effect; nil if it has none.
    public var deadline: MonotonicTime? {
        switch state {
        case .idle, .ended: nil
        case .settingUp(let setup): setup.deadline
        case .scanning(let discovery, _, let refreshAt): min(discovery.deadline ?? refreshAt, refreshAt)
        }
    }

    public mutating func handle(_ event: Event, at now: MonotonicTime) -> [Action] {
        switch (event, state) {
        case (.start, .idle):
            var setup = AdapterSetup(choice: choice, purpose: scans ? .use : .locate, blocked: blocked)
            let action = setup.start()
            state = .settingUp(setup)
            return perform(action, at: now)
        case (.adapters(let present), .settingUp(var setup)):
            let action = setup.listed(present, at: now)
            state = .settingUp(setup)
            return perform(action, at: now)
        case (.management(let event), .settingUp(var setup)):
            let action = setup.handle(event, at: now)
            state = .settingUp(setup)
            return perform(action, at: now)
        case (.timePassed, .settingUp(var setup)):
            let action = setup.timePassed(at: now)
            state = .settingUp(setup)
            return perform(action, at: now)
        case (.management(let event), .scanning(var discovery, let adapter, let refreshAt)):
            let action = discovery.handle(event, at: now)
            state = .scanning(discovery, adapter, refreshAt: refreshAt)
            return perform(action)
        case (.timePassed, .scanning(var discovery, let adapter, let refreshAt)):
            let action = discovery.timePassed(at: now)
            let isDue = now >= refreshAt
            let next = isDue ? now.advanced(by: Self.refreshInterval) : refreshAt
            state = .scanning(discovery, adapter, refreshAt: next)
            // The end of this run starts the next.
            return (isDue ? [.manage(.stopDiscovery(adapter.index))] : []) + perform(action)
        case (.start, _), (.adapters, _), (_, .idle), (_, .ended): return []  // A machine begins and ends once.
        }
    }

    private mutating func perform(_ action: AdapterSetup.Action?, at now: MonotonicTime) -> [Action] {
        switch action {
        case nil: return []
        case .list: return [.listAdapters]
        case .send(let command): return [.manage(command)]
        case .failed(let error, _): return fail(error)
        case .ready(let adapter):
            guard scans else {
                state = .ended
                return [.located(adapter)]
            }
            var discovery = Discovery(adapter.index)
            let action = discovery.start(at: now)
            state = .scanning(discovery, adapter, refreshAt: now.advanced(by: Self.refreshInterval))
            return [.located(adapter)] + perform(action)
        }
    }

    private mutating func perform(_ action: Discovery.Action?) -> [Action] {
        switch action {
        case nil: []
        case .send(let command): [.manage(command)]
        case .found(let device): [.heard(device)]
        case .refused, .unanswered: fail(action?.failure)
        }
    }

    private mutating func fail(_ error: TransportError?) -> [Action] {
        state = .ended
        return error.map { [.failed($0)] } ?? []
    }
}
