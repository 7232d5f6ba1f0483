import FlightMath
import Gateway
import GatewayReports
import MQTTPublishing
import ReceiverProtocol

/// Any sequence of messages on the command topics of a gateway with a receiver. The gateway must not crash and must
/// give one last answer for each command. Two checks watch the bytes to the receiver: a model of the receiver accepts
/// only documented commands, and an independent reading of the accepted messages computes the
/// receiver's final settings.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzCommands(_ data: UnsafePointer<UInt8>, _ size: Int) -> Int32 {
    guard size > 0, var bench = Bench() else { return 0 }
    // Bytes that JSON cannot hold separate the messages; each stands for a pause.
    let pauses: [UInt8: Double] = [0: 0, 1: 0.5, 2: 5]
    var message: [UInt8] = []
    var left = 12
    for byte in UnsafeBufferPointer(start: data, count: size) {
        guard let pause = pauses[byte] else {
            message.append(byte)
            continue
        }
        bench.send(message)
        bench.live(pause)
        message = []
        left -= 1
        if left == 0 { break }
    }
    bench.send(message)
    bench.settle()
    return 0
}

/// The gateway, its receiver, and the clock.
private struct Bench {
    private let topics: Topics
    private var machine: GatewayMachine
    private var mqtt: MQTTPublisher
    private var receiver = ModelReceiver()
    /// The receiver's settings, computed from the accepted messages.
    private var expected: [String: String]
    /// Set when the independent reading has no opinion on a message. From then on only the model checks.
    private var isOpen = false
    private var elapsed = Duration.zero
    private var timers: [TimerID: MonotonicTime] = [:]
    private var waiting: [WriteID] = []
    private var asked = false
    private var accepted = 0
    private var commands = 0
    private var lastAnswers = 0

    private static func moment(_ elapsed: Duration) -> Moment {
        Moment(
            monotonic: MonotonicTime.zero.advanced(by: elapsed),
            wall: WallTime(millisecondsSince1970: elapsed.components.seconds * 1000), isClockSynced: true)
    }

    private var now: Moment { Self.moment(elapsed) }

    init?() {
        guard let topics = Topics(base: "sondygo", id: "fuzz") else { return nil }
        let start = Self.moment(.zero)
        self.topics = topics
        machine = GatewayMachine(
            info: InfoReport(version: "fuzz", id: "fuzz", machine: "fuzz"),
            policy: CommandPolicy(allowsDangerousSettings: true), startedAt: start)
        mqtt = MQTTPublisher(topics: topics, startedAt: start.monotonic)
        expected = receiver.values
        _ = mqtt.sessionBegan(.v5, at: start)
        handle(.linkOpened(ReceiverPeer(name: "fuzz", maximumWriteLength: ModelReceiver.longestWrite)))
        live(1)
    }

    /// A message that starts with `{`, as in the fixtures, goes to the command topic. Otherwise its first byte chooses
    /// the topic.
    mutating func send(_ message: [UInt8]) {
        guard let first = message.first else { return }
        let subscriptions = topics.subscriptions
        let topic = subscriptions[first == UInt8(ascii: "{") ? 0 : Int(first) % subscriptions.count]
        // What another gateway or a late will says is no command.
        let isCommand = topics.commands.contains(topic)
        let body = Array(topic == topics.command ? message[...] : message.dropFirst())
        let message = IncomingMessage(topic: topic, payload: body)
        guard case .event(let event)? = MQTTInbox(topics: topics).delivery(of: message, on: .v5) else {
            precondition(!isCommand, "a message on a command topic is a command")
            return
        }
        if isCommand { commands += 1 }
        let (acceptedBefore, answersBefore, code) = (accepted, lastAnswers, handle(event))
        let isAccepted = accepted > acceptedBefore
        precondition(!isCommand || isAccepted || lastAnswers > answersBefore, "a command without an answer")
        let prefix = topics.prefix + "/"
        compare(Intent.read(body, on: String(topic.dropFirst(prefix.count))), isAccepted: isAccepted, code)
    }

    private mutating func compare(_ reading: Intent.Reading, isAccepted: Bool, _ code: CommandRefusal.Code?) {
        switch reading {
        case .open: isOpen = isOpen || isAccepted
        case .nothing: precondition(!isAccepted, "accepted what the specification refuses")
        case .change(let intent):
            guard isAccepted else {
                let weighsBattery = intent.values["vBatMin"] != nil || intent.values["vBatMax"] != nil
                precondition(
                    code == .busy || weighsBattery && code == .outOfRange, "refused what the specification accepts")
                return
            }
            for (key, value) in intent.values where key != "?" { expected[key] = value }
        }
    }

    /// - Returns: the code of the refusal; nil if the command was accepted.
    @discardableResult
    private mutating func handle(_ event: GatewayEvent) -> CommandRefusal.Code? {
        var code: CommandRefusal.Code?
        for action in machine.handle(event, at: now) {
            switch action {
            case .report(.answer(let report)):
                if report.answer.status == .accepted { accepted += 1 }
                if report.answer.isFinal {
                    lastAnswers += 1
                    code = report.answer.error?.code
                }
            case .write(let id, let bytes):
                asked = receiver.read(bytes).contains { $0.key == "?" } || asked
                waiting.append(id)
            case .setTimer(let id, let deadline): timers[id] = deadline
            case .cancelTimer(let id): timers[id] = nil
            case .report, .record, .closeLink, .call, .cancel, .measureHealth, .setLogLevel, .forgetHomeAssistant,
                .note:
                break
            }
        }
        return code
    }

    private mutating func frame(_ text: String) {
        let bytes = Array(text.utf8)
        guard let frame = try? FrameParser.parse(bytes.span) else { preconditionFailure("the model's frame: \(text)") }
        handle(.frame(frame))
    }

    /// Lets time pass: the link accepts writes, and the receiver prints frames.
    mutating func live(_ seconds: Double) {
        var left = seconds
        repeat {
            while !waiting.isEmpty { handle(.writeFinished(waiting.removeFirst(), succeeded: true)) }
            if asked {
                asked = false
                frame(receiver.configuration)
            }
            guard left > 0 else { return }
            left -= 0.25
            elapsed += .milliseconds(250)
            for (id, deadline) in timers where now.monotonic >= deadline {
                timers[id] = nil
                handle(.timerFired(id))
            }
            frame(receiver.searching)
        } while true
    }

    mutating func settle() {
        // At most 16 commands wait, with a second each.
        for _ in 0..<40 where lastAnswers < commands { live(1) }
        precondition(lastAnswers == commands, "\(commands) commands, \(lastAnswers) last answers")
        let low = Int(receiver.values["vBatMin"] ?? "") ?? 0
        let high = Int(receiver.values["vBatMax"] ?? "") ?? 0
        precondition(high > low, "vBatMax \(high), vBatMin \(low)")
        guard !isOpen else { return }
        for (key, value) in expected {
            precondition(receiver.values[key] == value, "\(key) is \(receiver.values[key] ?? "-"), not \(value)")
        }
        for key in receiver.values.keys where expected[key] == nil {
            preconditionFailure("\(key) was set by nobody")
        }
        precondition(accepted > 0 || receiver.writes <= 1, "written, and nothing was accepted")
    }
}
