import ReceiverProtocol

/// Where a command came from, and so where its answers go.
struct CommandOrigin: Equatable, Sendable {
    var id: JSONValue?
    /// `tune`, `mute` …; nil when the command was not understood.
    var verb: String?
    var responseTopic: String?
    var correlationData: [UInt8]?
    var receivedAt: Moment
}

/// One answer to a command; exactly one per command is final.
struct CommandAnswer: Equatable, Sendable {
    enum Status: String, CaseIterable, Sendable {
        /// Valid and queued. Never final.
        case accepted
        /// The receiver's link took it. Final where the receiver can't show the value.
        case written
        /// A later frame shows the new value.
        case confirmed
        /// Carried out by the gateway itself.
        case done
        case rejected
        /// No frame showed the value in time.
        case timedOut = "timed_out"
    }

    var origin: CommandOrigin
    var status: Status
    var error: CommandRefusal?
    var isFinal: Bool
    /// What the receiver is to show, as published.
    var applied: [String: JSONValue]?

    func payload(at now: Moment) -> [UInt8] {
        var json = JSONText()
        json.field("id", origin.id ?? .null)
        json.field("command", origin.verb)
        json.field("status", status.rawValue)
        if let error {
            json.field("error") { inner in
                inner.field("code", error.code.rawValue)
                inner.field("message", error.message)
            }
        } else {
            json.field("error", nil as String?)
        }
        json.field("final", isFinal)
        json.field("applied", applied.map { .object($0) } ?? .null)
        json.field("latency_ms", Int(now.monotonic.milliseconds(since: origin.receivedAt.monotonic)))
        json.field("at", now.wall)
        return json.object
    }
}

extension ReceiverCommand {
    /// What a user sees in `applied`.
    var applied: [String: JSONValue] {
        switch self {
        case .tune(let tuning):
            ["frequency": .number(tuning.frequencyMHz), "type": .string(tuning.sondeType.name)]
        case .mute(let isMuted): ["mute": .bool(isMuted)]
        case .requestConfiguration: ["request": .string("settings")]
        case .settings(let changes):
            [
                "settings": .object(
                    Dictionary(
                        changes.map { ($0.setting.rawValue, JSONValue($0.value)) }, uniquingKeysWith: { $1 }))
            ]
        }
    }
}

extension JSONValue {
    init(_ value: ReceiverSettingValue) {
        switch value {
        case .integer(let number): self = .integer(Int64(number))
        case .text(let text): self = .string(text)
        }
    }
}
