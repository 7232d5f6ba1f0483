import ReceiverProtocol

// The plain values of the dashboards' topics: `404.2`, `RS41`, `ON`.

extension CommandDecoder {
    /// Understands a message by its topic.
    ///
    /// - Returns: nil for a topic that carries no command.
    func decode(_ message: IncomingMessage, topics: Topics) -> Decoded? {
        switch message.topic {
        case topics.command: decode(message.payload)
        case topics.frequencySet: decode(message.payload, verb: "tune", scalar: frequency)
        case topics.sondeTypeSet: decode(message.payload, verb: "tune", scalar: sondeType)
        case topics.muteSet: decode(message.payload, verb: "mute", scalar: mute)
        case topics.requestSettings: Decoded(id: nil, verb: "request", command: .success(.requestSettings))
        default: nil
        }
    }

    private func frequency(_ text: String) throws(CommandRefusal) -> UserCommand {
        let bytes = Array(text.utf8)
        guard let megahertz = PlainDecimal.parse(bytes.span) else {
            throw .wrongType("frequency", "a plain number in MHz, for example 404.2")
        }
        return .tune(frequencyMHz: try checkedFrequency(megahertz), sondeType: nil)
    }

    private func sondeType(_ text: String) throws(CommandRefusal) -> UserCommand {
        .tune(frequencyMHz: nil, sondeType: try Self.sondeType(named: text))
    }

    private func mute(_ text: String) throws(CommandRefusal) -> UserCommand {
        switch text.lowercased() {
        case "on", "1", "true": return .mute(true)
        case "off", "0", "false": return .mute(false)
        default: throw .wrongType("mute", "ON, OFF, 1, 0, true or false")
        }
    }
}
