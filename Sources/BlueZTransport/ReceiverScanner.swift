public import BluetoothProtocol
public import GatewayReports
import Glibc
public import ReceiverProtocol
import TransportIO

/// Runs a ``ScanMachine`` on the kernel's management interface. Its functions block, so only one-shot commands use it.
public struct ReceiverScanner {
    private let choice: AdapterChoice

    public init(adapter choice: AdapterChoice) {
        self.choice = choice
    }

    /// The adapter that the gateway would use, in its present state.
    /// - Throws: why no adapter can be used.
    public func locate() throws(TransportError) -> Adapter {
        var found: Adapter?
        try run(scans: false, until: nil) { action in
            if case .located(let adapter) = action { found = adapter }
        } tick: {
        }
        guard let found else { throw TransportError(.notFound, "no Bluetooth adapter") }
        return found
    }

    /// Scans until `end`.
    /// - Parameters:
    ///   - located: called once, with the adapter that scans.
    ///   - heard: called for each report of a device.
    ///   - tick: called at least once a second.
    public func scan(
        until end: MonotonicTime, located: (Adapter) -> Void, heard: (FoundDevice) -> Void, tick: () -> Void
    ) throws(TransportError) {
        try run(scans: true, until: end) { action in
            if case .located(let adapter) = action { located(adapter) }
            if case .heard(let device) = action { heard(device) }
        } tick: {
            tick()
        }
    }

    private func run(
        scans: Bool, until end: MonotonicTime?, _ onAction: (ScanMachine.Action) -> Void, tick: () -> Void
    ) throws(TransportError) {
        let socket = try MgmtSocket()
        var machine = ScanMachine(adapter: choice, blocked: RadioSwitch.blocked(), scans: scans)
        var adapter: Adapter?
        var events: [ScanMachine.Event] = [.start]
        while end.map({ MonotonicTime.now < $0 }) ?? true {
            while !events.isEmpty {
                for action in machine.handle(events.removeFirst(), at: .now) {
                    onAction(action)
                    switch action {
                    case .listAdapters: events.append(.adapters(AdapterList.present(for: choice)))
                    case .manage(let command):
                        if let why = socket.send(command) { throw TransportError(.inputOutput, "Bluetooth: \(why)") }
                    case .located(let found):
                        guard scans else { return }
                        adapter = found
                    case .heard: break  // The caller handles this.
                    case .failed(let error): throw error
                    }
                }
            }
            events = wait(socket, machine.deadline)
            tick()
        }
        if let adapter { _ = socket.send(.stopDiscovery(adapter.index)) }
    }

    private func wait(_ socket: borrowing MgmtSocket, _ deadline: MonotonicTime?) -> [ScanMachine.Event] {
        var entry = pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0)
        poll(&entry, 1, 200)
        var events: [ScanMachine.Event] = []
        while case .event(let event) = socket.receive() { events.append(.management(event)) }
        if let deadline, MonotonicTime.now >= deadline { events.append(.timePassed) }
        return events
    }
}
