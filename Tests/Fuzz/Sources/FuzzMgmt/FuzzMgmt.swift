import BluetoothProtocol
import GatewayReports
import ReceiverProtocol

/// A kernel that sends any bytes. The machine must not crash, must end once and then stay silent, and each of its
/// deadlines must lead on.
///
/// The input is a row of mgmt packets, each behind a byte with its length. Lengths above 248 are other events.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzMgmt(_ data: UnsafePointer<UInt8>, _ size: Int) -> Int32 {
    var input = UnsafeBufferPointer(start: data, count: size)[...]
    let filter = ReceiverFilter(names: ["MySondy"])
    let repairs = LinkRepair.allCases
    let attempt = LinkAttempt(
        rung: repairs[Int(input.popFirst() ?? 0) % repairs.count], target: .discover(filter), searchLimit: .seconds(12),
        looksAround: true, sparesOthers: true, notBefore: nil)
    var machine = LinkMachine(attempt, adapter: .any)
    var now = MonotonicTime.zero
    var hasEnded = false
    var isAsked = false
    var channel: LinkMachine.ChannelID?
    func run(_ event: LinkMachine.Event) {
        for action in machine.handle(event, at: now) {
            precondition(!hasEnded, "after the end")
            switch action {
            case .openChannel(let id, _, _): channel = id
            case .ended: hasEnded = true
            case .listAdapters: isAsked = true
            // Always allowed.
            case .manage, .closeChannel, .send, .readCounters, .opened, .frames, .writeFinished, .report: break
            }
        }
        precondition(!hasEnded || machine.deadline == nil)
    }
    /// Each bit pair of `states` is an adapter: whether it is up, and whether it has LE.
    func list(_ states: UInt8, count: Int) {
        isAsked = false
        guard let address = BluetoothAddress(octets: [1, 2, 3, 4, 5, 6]) else { return }
        let adapters = (0..<count).map { number in
            PresentAdapter(
                index: AdapterIndex(rawValue: UInt16(number)), address: address, isUp: states >> (2 * number) & 1 == 1,
                hasLowEnergy: states >> (2 * number + 1) & 1 == 1)
        }
        run(.adapters(adapters))
    }
    run(.start)
    while let length = input.popFirst(), !hasEnded {
        // Most often one adapter is there and up.
        if isAsked, length != 249 { list(3, count: 1) }
        switch length {
        case 255:
            guard let deadline = machine.deadline else { continue }
            now = max(now, deadline)
            run(.timePassed)
            precondition(machine.deadline.map { $0 > now } ?? true, "time stands still")
        case 254: if let channel { run(.channelOpened(channel)) }
        case 253: if let channel { run(.channelFailed(channel, .broken)) }
        case 252: run(.write(1, [0x6F]))
        case 251: if let channel { run(.received(channel, Array(input.prefix(8)))) }
        case 250: run(.close)
        case 249: list(input.first ?? 0, count: Int(input.first ?? 0) % 4)
        default:
            if let event = MgmtEvent(input.prefix(Int(length))) { run(.management(event)) }
            input = input.dropFirst(Int(length))
        }
    }
    return 0
}
