public import FlightMath
public import Gateway
public import GatewayReports
public import MQTTPublishing
import ReceiverProtocol

/// Passes these fixes to a gateway and checks each message that it publishes.
public func checkCar(_ fixes: [CarFix]) {
    guard !fixes.isEmpty, let topics = Topics(base: "sondygo", id: "fuzz") else { return }
    var moment = Moment(
        monotonic: .zero, wall: WallTime(millisecondsSince1970: 1_767_268_800_000), isClockSynced: false)
    var machine = GatewayMachine(info: InfoReport(version: "fuzz", id: "fuzz", machine: "fuzz"), startedAt: moment)
    var mqtt = MQTTPublisher(topics: topics, startedAt: moment.monotonic)
    _ = mqtt.sessionBegan(.v5, at: moment)
    _ = machine.handle(.started(), at: moment)
    for fix in fixes.prefix(20) {
        moment.monotonic = moment.monotonic.advanced(by: .seconds(1))
        for case .report(let report) in machine.handle(.carFix(fix), at: moment) {
            for case .publish(let message) in mqtt.publish(report, at: moment) { check(message) }
        }
    }
}

/// JSON has no NaN and no infinity.
private func check(_ message: OutgoingMessage) {
    guard message.topic.hasSuffix("/chase") else { return }
    let text = String(decoding: message.payload, as: UTF8.self)
    precondition(!text.contains("nan") && !text.contains("inf"), "no number: \(text)")
}
