import ReceiverProtocol

// The broker's side: commands in, answers out.

extension GatewayMachine {
    mutating func received(_ message: IncomingMessage, _ now: Moment, _ actions: inout [GatewayAction]) {
        if let discovery, message.topic == discovery.options.statusTopic {
            if message.payload.elementsEqual("online".utf8) {
                discoveryAt = now.monotonic.advanced(by: discovery.restartDelay)
            }
            return
        }
        guard let decoded = decoder.decode(message, topics: topics) else { return }
        var origin = CommandOrigin(
            id: decoded.id, verb: decoded.verb, responseTopic: message.responseTopic,
            correlationData: message.correlationData, receivedAt: now)
        do throws(CommandRefusal) {
            if message.isRetained {
                throw CommandRefusal(.retained, "a retained command is never executed; publish it without retain")
            }
            if let topic = message.responseTopic, !topics.mayAnswer(on: topic) {
                origin.responseTopic = nil
                throw CommandRefusal(
                    .responseTopic, "answers can't go to \(CommandDecoder.shortened(topic)); use a topic of your own")
            }
            let command = try decoded.command.get()
            let applied = try ownCommand(command)
            let forReceiver = applied == nil ? try receiverCommand(for: command) : nil
            guard rate.admits(at: now.monotonic) else {
                throw CommandRefusal(.busy, "more than \(CommandRate.perSecond) commands a second")
            }
            if let forReceiver {
                if command == .acceptProposal(true) { acceptProposal(&actions) }
                perform(commands.submit(forReceiver, origin: origin, at: now.monotonic), now, &actions)
            } else {
                carryOut(command, now, &actions)
                let answer = CommandAnswer(origin: origin, status: .done, error: nil, isFinal: true, applied: applied)
                perform([.answer(answer)], now, &actions)
            }
        } catch {
            if !topics.mayAnswer(on: origin.responseTopic ?? topics.commandResponse) { origin.responseTopic = nil }
            let answer = CommandAnswer(origin: origin, status: .rejected, error: error, isFinal: true, applied: nil)
            perform([.answer(answer)], now, &actions)
        }
    }

    /// What is applied by a command that never goes to the receiver; nil for the others.
    private func ownCommand(_ command: UserCommand) throws(CommandRefusal) -> [String: JSONValue]? {
        switch command {
        case .hunt(let serial):
            guard poll.settings.isEnabled else {
                throw CommandRefusal(.unavailable, "SondeHub is switched off; the gateway follows the receiver only")
            }
            return ["hunt": serial.map { .string($0.canonical) } ?? .null]
        case .acceptProposal(false):
            guard frequencySync.open != nil else { throw .noProposal }
            return ["accept_proposal": .bool(false)]
        case .frequencySync(let policy):
            guard poll.settings.isEnabled else {
                throw CommandRefusal(.unavailable, "SondeHub is switched off; no frequency comes from there")
            }
            return ["frequency_sync": .string((policy ?? poll.settings.frequencySync).rawValue)]
        case .tune, .mute, .requestSettings, .settings, .saveFrequencyOffset, .setFrequencyOffset, .acceptProposal,
            .landingPoint, .predict:
            return nil
        }
    }

    private mutating func carryOut(_ command: UserCommand, _ now: Moment, _ actions: inout [GatewayAction]) {
        switch command {
        case .hunt(let serial): hunt(serial, now, &actions)
        case .frequencySync(let policy): follow(policy, &actions)
        case .acceptProposal:
            frequencySync.putOff(at: now.monotonic)
            publishProposal(&actions)
        default: break
        }
    }

    private mutating func acceptProposal(_ actions: inout [GatewayAction]) {
        frequencySync.accept()
        publishProposal(&actions)
    }

    /// Fills in what the command leaves open from what the receiver shows.
    private func receiverCommand(for command: UserCommand) throws(CommandRefusal) -> ReceiverCommand {
        switch command {
        case .tune(let frequency, let type): return .tune(try tuning(frequency, type))
        case .mute(let isMuted): return .mute(isMuted)
        case .requestSettings: return .requestConfiguration
        case .settings(let changes): return .settings(try checkedBattery(changes))
        case .saveFrequencyOffset:
            guard let mean = channels.afcMeanHz else {
                throw CommandRefusal(.noAFC, "no AFC value heard yet; wait for the sonde")
            }
            return try frequencyOffset(Int(mean.rounded()))
        case .setFrequencyOffset(let hertz): return try frequencyOffset(hertz)
        case .acceptProposal:
            guard link.canReceiveCommands else { throw .receiverOffline }
            guard let tuning = frequencySync.open else { throw .noProposal }
            return .tune(tuning)
        case .hunt, .frequencySync, .landingPoint, .predict:
            throw CommandRefusal(.unavailable, "this gateway has no prediction")
        }
    }

    private func tuning(_ frequencyMHz: Double?, _ type: SondeType?) throws(CommandRefusal) -> Tuning {
        guard link.canReceiveCommands else { throw .receiverOffline }
        guard let frequency = frequencyMHz ?? lastRadio?.frequencyMHz ?? lastConfiguration?.frequencyMHz else {
            throw CommandRefusal(.frequencyRequired, "the receiver's frequency is not known; send frequency and type")
        }
        let shown = lastRadio?.sondeType ?? lastConfiguration?.sondeType
        guard let wanted = type ?? shown, let tuning = Tuning(frequencyMHz: frequency, sondeType: wanted) else {
            let names = SondeType.tunable.map(\.name).joined(separator: ", ")
            throw CommandRefusal(
                .typeRequired, "the receiver can't be tuned to its present type; send type, one of \(names)")
        }
        return tuning
    }

    private func frequencyOffset(_ hertz: Int) throws(CommandRefusal) -> ReceiverCommand {
        guard let change = SettingChange(.frequencyOffset, .integer(hertz)) else {
            throw CommandRefusal(.outOfRange, "offset \(hertz) Hz is outside -10000 to 10000")
        }
        return .settings([change])
    }

    /// vBatMax must stay above vBatMin, also when only one of them is set.
    private func checkedBattery(_ changes: [SettingChange]) throws(CommandRefusal) -> [SettingChange] {
        func value(_ setting: ReceiverSetting) -> Int? {
            let wanted = changes.last { $0.setting == setting }?.value
            guard case .integer(let number) = wanted ?? lastConfiguration?.value(of: setting) else { return nil }
            return number
        }
        let concerned = changes.contains { $0.setting == .batteryMinimum || $0.setting == .batteryMaximum }
        if concerned, let low = value(.batteryMinimum), let high = value(.batteryMaximum), high <= low {
            throw CommandRefusal(.outOfRange, "vBatMax \(high) must be above vBatMin \(low)")
        }
        return changes
    }

    /// Turns the command loop's outputs into actions.
    mutating func perform(_ outputs: [CommandLoop.Output], _ now: Moment, _ actions: inout [GatewayAction]) {
        for output in outputs {
            switch output {
            case .write(let id, let bytes): actions.append(.write(id, bytes))
            case .answer(let answer): publish(answer, now, &actions)
            }
        }
    }

    private mutating func publish(_ answer: CommandAnswer, _ now: Moment, _ actions: inout [GatewayAction]) {
        if answer.isFinal { counters.commands[answer.status.rawValue, default: 0] += 1 }
        if let error = answer.error {
            actions.append(
                .note(
                    GatewayNote(
                        .info, "command refused or failed",
                        ["command": answer.origin.verb ?? "?", "code": error.code.rawValue, "why": error.message])))
        }
        publish(
            OutgoingMessage(
                topic: answer.origin.responseTopic ?? topics.commandResponse, payload: answer.payload(at: now),
                correlationData: answer.origin.correlationData,
                historyTopic: topics.history(of: topics.commandResponse)),
            &actions)
    }
}

extension CommandRefusal {
    static let noProposal = CommandRefusal(.noProposal, "no frequency proposal is open")
    static let receiverOffline = CommandRefusal(.receiverOffline, "no link to the receiver")
}
