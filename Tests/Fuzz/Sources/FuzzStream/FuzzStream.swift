import Gateway
import GatewayReports
import ReceiverProtocol
import SondeHubProtocol

/// A server of the live stream sends any bytes, cut in two ways. The session must not crash, must do the same both times,
/// must deliver messages only while it is open, and nothing after its end.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzStream(_ data: UnsafePointer<UInt8>, _ size: Int) -> Int32 {
    let bytes = Array(UnsafeBufferPointer(start: data, count: size))
    let whole = actions(bytes, step: max(1, size))
    precondition(whole == actions(bytes, step: 1 + size % 29), "the split matters")
    var (isOpen, isEnded) = (false, false)
    for action in whole {
        precondition(!isEnded, "an action after the end")
        switch action {
        case .send(let request): precondition(!request.isEmpty && request.count < 200)
        case .opened:
            precondition(!isOpen, "opened twice")
            isOpen = true
        case .message(let message):
            precondition(isOpen && !message.topic.isEmpty && message.payload.count <= MQTTPacketReader.longest)
        case .end: isEnded = true
        }
    }
    return 0
}

/// What a session does on these bytes, and on a long silence after them.
private func actions(_ bytes: [UInt8], step: Int) -> [StreamSession.Action] {
    var session = StreamSession(
        clientID: "fuzz", topics: ["sondes/V1", "prediction/V1", "recovery/V1"], keepAlive: .seconds(30))
    var now = MonotonicTime.zero
    var actions = session.handle(.connected, at: now)
    for start in stride(from: 0, to: bytes.count, by: step) {
        actions += session.handle(.received(Array(bytes[start..<min(start + step, bytes.count)])), at: now)
    }
    while let deadline = session.deadline {
        precondition(deadline > now, "time stands still")
        now = deadline
        actions += session.handle(.timePassed, at: now)
    }
    return actions
}
