import GatewayReports
import ReceiverProtocol

/// The conclusion from a frame about a command.
enum Verdict {
    case says, saysOtherwise
    /// Frames do not show this value.
    case cannotSay
}

extension ReceiverCommand {
    /// Whether this command restarts the receiver.
    var restartsReceiver: Bool {
        if case .settings(let changes) = self { changes.contains { $0.setting.restarts } } else { false }
    }

    var isTuning: Bool {
        if case .tune = self { true } else { false }
    }

    /// Whether a type 3 shows the command's value.
    var isShownBySettings: Bool {
        switch self {
        case .settings, .requestConfiguration: true
        case .tune, .mute: false
        }
    }

    func verdict(of frame: Frame) -> Verdict {
        switch (self, frame) {
        case (.tune(let tuning), .radio(let radio)):
            let frequency = radio.frequencyMHz.flatMap(Tuning.kilohertz)
            return frequency == tuning.frequencyKHz && radio.sondeType == tuning.sondeType ? .says : .saysOtherwise
        case (.mute(let isMuted), .radio(let radio)):
            guard let shown = radio.isMuted else { return .cannotSay }
            return shown == isMuted ? .says : .saysOtherwise
        case (.requestConfiguration, .configuration): return .says
        case (.settings(let changes), .configuration(let configuration)):
            let shown = changes.map { (wanted: $0.value, value: configuration[$0.setting]) }
            if shown.contains(where: { $0.value != nil && $0.value != $0.wanted }) { return .saysOtherwise }
            return shown.contains { $0.value != nil } ? .says : .cannotSay
        case (.tune, _), (.mute, _), (.requestConfiguration, _), (.settings, _): return .saysOtherwise
        }
    }

    /// The values of the answer's field `applied`.
    var applied: [String: JSONValue] {
        switch self {
        case .tune(let tuning):
            ["frequency": .number(tuning.frequencyMHz), "type": .string(tuning.sondeType.name)]
        case .mute(let isMuted): ["mute": .bool(isMuted)]
        case .requestConfiguration: ["request": "settings"]
        case .settings(let changes):
            [
                "settings": .object(
                    Dictionary(
                        changes.map { ($0.setting.key, JSONValue($0.value)) }, uniquingKeysWith: { $1 }))
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
