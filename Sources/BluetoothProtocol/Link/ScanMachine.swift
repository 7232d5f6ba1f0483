public import GatewayCore
public import ReceiverProtocol

/// Listens to what is in range, without connecting: readies the adapter and scans until it is left alone.
public struct ScanMachine: Sendable {
    public enum Event: Equatable, Sendable {
        /// The first event, once.
        case start
        case management(MgmtEvent)
        case timePassed
    }

    public enum Action: Equatable, Sendable {
        case manage(MgmtCommand)
        /// The adapter that is used; when only that was wanted, the last action.
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

    /// After which a run is begun anew: in one run the kernel reports each device once, and a table that is
    /// looked at should live.
    static let refreshInterval = Duration.seconds(3)

    private let choice: AdapterChoice
    private let blocked: Set<AdapterIndex>
    private let scans: Bool
    private var state = State.idle

    /// - Parameters:
    ///   - blocked: adapters that rfkill has switched off.
    ///   - scans: false only looks which adapter there is, and changes nothing.
    public init(adapter choice: AdapterChoice, blocked: Set<AdapterIndex>, scans: Bool) {
        self.choice = choice
        self.blocked = blocked
        self.scans = scans
    }

    /// When ``Event/timePassed`` can next change anything.
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
            let action = setup.start(at: now)
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
            // The end of the run starts the next one.
            return (isDue ? [.manage(.stopDiscovery(adapter.index))] : []) + perform(action)
        case (.start, _), (_, .idle), (_, .ended): return []  // Begins and ends once.
        }
    }

    private mutating func perform(_ action: AdapterSetup.Action?, at now: MonotonicTime) -> [Action] {
        switch action {
        case nil: return []
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
