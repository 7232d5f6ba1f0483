import GatewayCore
import ReceiverProtocol

/// Any body on any command topic of a gateway with a receiver: no crash, an answer for each, and nothing reaches the
/// receiver that could break out of `o{…}o`.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzCommands(_ data: UnsafePointer<UInt8>, _ size: Int) -> Int32 {
    guard size > 0, let topics = Topics(base: "sondygo", id: "fuzz") else { return 0 }
    let moment = Moment(monotonic: .zero, wall: WallTime(millisecondsSince1970: 0), isClockSynced: true)
    var machine = GatewayMachine(
        info: InfoReport(version: "fuzz", id: "fuzz", machine: "fuzz"),
        policy: CommandPolicy(allowsDangerousSettings: true), startedAt: moment)
    var mqtt = MQTTFeed(topics: topics, startedAt: moment.monotonic)
    _ = mqtt.sessionBegan(at: moment)
    _ = machine.handle(.linkOpened(ReceiverPeer(name: "fuzz", maximumWriteLength: 20)), at: moment)
    let frame = Array("0/RS41/403.500/120.5/100/4260/0/3.10/o".utf8)
    if let searching = try? FrameParser.parse(frame.span) { _ = machine.handle(.frame(searching), at: moment) }

    // A fixture starts with `{`, which is the command topic.
    let topic = topics.subscriptions[data[0] == UInt8(ascii: "{") ? 0 : Int(data[0]) % topics.subscriptions.count]
    let isPlain = topic != topics.command
    let body = Array(UnsafeBufferPointer(start: data, count: size).dropFirst(isPlain ? 1 : 0))
    guard let command = mqtt.received(IncomingMessage(topic: topic, payload: body), at: moment) else {
        preconditionFailure("a message on a command topic is a command")
    }
    var answers = 0
    for action in machine.handle(.command(command), at: moment) {
        switch action {
        case .report(.answer(let answer)):
            answers += 1
            precondition(!answer.answer.isFinal || answers == 1, "an answer behind the last one")
        case .write(_, let bytes): check(bytes)
        case .report, .record, .closeLink, .call, .cancel, .setTimer, .cancelTimer, .measureHealth, .setLogLevel,
            .forgetHomeAssistant, .note:
            break
        }
    }
    precondition(answers > 0, "a command without an answer")
    return 0
}

/// Every byte that reaches the receiver: one command, nothing in it that could end it or begin another.
private func check(_ bytes: [UInt8]) {
    precondition(bytes.starts(with: Array("o{".utf8)) && bytes.suffix(2).elementsEqual(Array("}o".utf8)))
    precondition(bytes.dropFirst(2).dropLast(2).allSatisfy { $0 > 0x20 && $0 < 0x7f && $0 != 0x7b && $0 != 0x7d })
}
