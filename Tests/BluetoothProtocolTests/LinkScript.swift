import GatewayReports
import ReceiverProtocol

@testable import BluetoothProtocol

/// A link machine with a script of the kernel's events.
struct LinkScript {
    static let index = AdapterIndex(rawValue: 0)
    static let receiver = "04 03 02 01 AA 00"

    /// Adapter 0 as libbluetooth lists it.
    static var adapters: [PresentAdapter] {
        BluetoothAddress("01:02:03:04:05:06").map { address in
            [PresentAdapter(index: index, address: address, isUp: true, hasLowEnergy: true)]
        } ?? []
    }

    var machine: LinkMachine
    var now = MonotonicTime.zero.advanced(by: .seconds(1000))

    init(
        _ target: LinkAttempt.Target, rung: LinkRepair = .reconnect, searchLimit: Duration? = .seconds(8),
        looksAround: Bool = false,
        sparesOthers: Bool = true, notBefore: Duration? = nil, adapter: AdapterChoice = .any,
        blocked: Set<AdapterIndex> = []
    ) {
        let attempt = LinkAttempt(
            rung: rung, target: target, searchLimit: searchLimit, looksAround: looksAround, sparesOthers: sparesOthers,
            notBefore: notBefore.map { [now] in now.advanced(by: $0) })
        machine = LinkMachine(attempt, adapter: adapter, blocked: blocked)
    }

    @discardableResult
    mutating func run(_ event: LinkMachine.Event) -> [LinkMachine.Action] { machine.handle(event, at: now) }

    /// Lets time pass, and wakes the machine at each of its deadlines.
    @discardableResult
    mutating func wait(_ time: Duration) -> [LinkMachine.Action] {
        let end = now.advanced(by: time)
        var actions: [LinkMachine.Action] = []
        while let deadline = machine.deadline, deadline <= end {
            now = max(now, deadline)
            actions += run(.timePassed)
        }
        now = end
        return actions
    }

    @discardableResult
    mutating func answer(_ opcode: UInt16, _ status: UInt8 = 0, _ data: String = "", index: UInt16 = 0) -> [LinkMachine
        .Action]
    {
        run(
            .management(
                .answered(opcode: opcode, AdapterIndex(rawValue: index), MgmtStatus(rawValue: status), hex(data))))
    }

    /// Describes adapter 0, powered or not.
    mutating func describe(isPowered: Bool = true) -> [LinkMachine.Action] {
        run(.start)
        run(.adapters(Self.adapters))
        return answer(0x0004, 0, "060504030201 08 0000 01020000 \(isPowered ? "01" : "00")020000 00")
    }

    /// Plays the script up to the search for the receiver.
    @discardableResult
    mutating func ready() -> [LinkMachine.Action] {
        _ = describe()
        return answer(0x0015, 0, "0000")
    }

    mutating func found(_ name: String = "MySondyGo", at address: String = receiver, rssi: Int = -60) -> [LinkMachine
        .Action]
    {
        let bytes = Array(name.utf8)
        let data = AdvertisingData([UInt8(bytes.count + 1), 0x09] + bytes)
        guard let address = BluetoothAddress(octets: hex(address)) else { return [] }
        return run(
            .management(
                .deviceFound(Self.index, FoundDevice(address: LEAddress(address, .public), rssiDBm: rssi, data: data))))
    }

    /// Opens the channel and plays the discovery.
    @discardableResult
    mutating func open(mtu: String = "0502") -> [LinkMachine.Action] {
        let id = LinkMachine.ChannelID(value: 0)
        run(.channelOpened(id))
        let notify = "8E6F6D6C6144 6F6B 7269 4D61 67727953", write = "7E6F6D6C6144 6F6B 7269 4D61 68727953"
        for bytes in [
            "03 \(mtu)", "07 2800 2D00", "09 15 2900 10 2A00 \(notify) 2C00 08 2D00 \(write)", "05 01 2B00 0229",
        ] { run(.received(id, hex(bytes))) }
        return run(.received(id, hex("13")))
    }
}

extension [LinkMachine.Action] {
    var commands: [MgmtCommand] {
        compactMap { if case .manage(let command) = $0 { command } else { nil } }
    }

    /// The action that ended the attempt; nil if it has not ended.
    var end: (error: TransportError, outcome: LinkOutcome, lingers: Bool)? {
        for case .ended(let error, let outcome, let lingers) in self { return (error, outcome, lingers) }
        return nil
    }
}
