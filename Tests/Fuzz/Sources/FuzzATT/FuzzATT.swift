import BluetoothProtocol
import ReceiverProtocol

/// A server sends any bytes at any step. The client must not crash, must answer each request and each write once, and
/// must not act after its end.
///
/// The input is a row of packets, each behind a byte with its length. The length 255 lets time pass; 254 starts a
/// write.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzATT(_ data: UnsafePointer<UInt8>, _ size: Int) -> Int32 {
    var input = UnsafeBufferPointer(start: data, count: size)[...]
    var client = GATTClient()
    var now = MonotonicTime.zero
    var writes: Set<UInt64> = []
    var nextWrite: UInt64 = 0
    var hasFailed = false
    func run(_ event: GATTClient.Event) {
        for action in client.handle(event, at: now) {
            switch action {
            case .send(let bytes): precondition(!bytes.isEmpty && bytes.count <= 517 && !hasFailed)
            case .ready(let session): precondition((23...517).contains(session.mtu))
            case .frames(let bytes): precondition(!bytes.isEmpty)
            case .writeFinished(let id, _): precondition(writes.remove(id) != nil, "answered twice")
            case .failed:
                precondition(!hasFailed, "failed twice")
                hasFailed = true
            }
        }
        if let deadline = client.deadline { precondition(deadline > now || event != .timePassed, "time stands still") }
        precondition(!hasFailed || writes.isEmpty, "a write without an answer")
    }
    run(.opened)
    while let length = input.popFirst() {
        switch length {
        case 255:
            now = now.advanced(by: .seconds(5))
            run(.timePassed)
        case 254:
            nextWrite += 1
            writes.insert(nextWrite)
            run(.write(nextWrite, [0x6F, 0x7B, 0x3F, 0x7D, 0x6F]))
        default:
            run(.received(Array(input.prefix(Int(length)))))
            input = input.dropFirst(Int(length))
        }
    }
    return 0
}
