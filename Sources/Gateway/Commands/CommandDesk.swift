import FlightMath
import GatewayReports
import ReceiverProtocol

/// Handles users' commands: decodes them, checks them against the receiver's state, sends them, and answers.
struct CommandDesk: Sendable {
    /// A command whose time is further from now is refused.
    private static let latest = Duration.seconds(30)
    /// The time between a link's first valid frame and the request for the settings.
    private static let settingsDelay = Duration.milliseconds(500)

    private(set) var decoder: CommandDecoder
    private var rate = CommandRate()
    private var loop = CommandLoop()

    /// A command is in flight after which the receiver restarts.
    var restartsReceiver: Bool { loop.restartsReceiver }
    /// The number of final answers, by status.
    private(set) var answers: [String: Int] = [:]
    /// When to request the settings on this link; nil after the request, and before the first frame.
    private var settingsRequestAt: MonotonicTime?
    private var forecasts = ForecastOrders()
    private var handledOrder = 0
    private var handledSearch = 0

    init(policy: CommandPolicy) {
        decoder = CommandDecoder(policy: policy)
    }

    /// The state of the receiver and the sources. It completes a command's missing values.
    struct Surroundings {
        var listening: Listening?
        var configuration: ReceiverConfiguration?
        var afcMeanHz: Double?
        var proposal: Tuning?
    }

    /// The rest of the work, for the machine.
    enum FollowUp {
        /// Nothing: the command is refused or on its way to the receiver.
        case nothing
        case proposalAccepted
        /// A user tunes the receiver.
        case tuned
        /// Carry out the order, then answer.
        case order(GatewayOrder, CommandOrigin)
    }

    var depth: Int { loop.depth }
    var policy: CommandPolicy {
        get { decoder.policy }
        set { decoder.policy = newValue }
    }
    var deadline: MonotonicTime? {
        .earliest(settingsRequestAt, loop.deadline, forecasts.deadline)
    }

    // MARK: - Commands in

    mutating func take(
        _ incoming: IncomingCommand, against surroundings: Surroundings, _ turn: inout Turn
    ) -> FollowUp {
        let decoded = decoder.decode(incoming.body, door: incoming.door)
        let origin = CommandOrigin(id: decoded.id, verb: decoded.verb, reply: incoming.reply, receivedAt: turn.now)
        do throws(CommandRefusal) {
            if let refusal = incoming.refusal { throw refusal }
            if let at = decoded.at { try Self.checkAge(at, turn.now) }
            let command = try decoded.command.get()
            let forReceiver: ReceiverCommand? =
                if case .receiver(let order) = command { try complete(order, surroundings) } else { nil }
            guard rate.admits(at: turn.now.monotonic) else {
                throw CommandRefusal(.busy, "more than \(CommandRate.perSecond) commands a second")
            }
            switch command {
            case .gateway(let order): return .order(order, origin)
            case .receiver(let order):
                if let forReceiver {
                    perform(try loop.submit(forReceiver, origin: origin, at: turn.now.monotonic), &turn)
                }
                if case .tune = order { return .tuned }
                return order == .acceptProposal ? .proposalAccepted : .nothing
            }
        } catch {
            refuse(origin, because: error, &turn)
            return .nothing
        }
    }

    /// A command that a broker or a bridge has kept must not tune a receiver later.
    private static func checkAge(_ at: WallTime, _ now: Moment) throws(CommandRefusal) {
        let age = now.wall.duration(since: at)
        guard !(.zero - latest...latest).contains(age) else { return }
        throw CommandRefusal(
            .late,
            "the command's time is \(at.iso8601), this gateway's is \(now.wall.iso8601); commands older than "
                + "\(latest.components.seconds) s are not carried out, and both clocks must be right")
    }

    mutating func done(_ origin: CommandOrigin, applied: [String: JSONValue], _ turn: inout Turn) {
        answer(CommandAnswer(origin, .done, isFinal: true, applied: applied), &turn)
    }

    /// The order to predict is answered when a forecast server has answered.
    mutating func answerLater(_ origin: CommandOrigin, knowing facts: Facts) throws(CommandRefusal) {
        try forecasts.add(origin, after: facts.sonde.forecasts)
    }

    mutating func refuse(_ origin: CommandOrigin, because refusal: CommandRefusal, _ turn: inout Turn) {
        answer(CommandAnswer(origin, .rejected, error: refusal, isFinal: true), &turn)
    }

    // MARK: - The receiver

    mutating func received(_ frame: Frame, _ turn: inout Turn) {
        perform(loop.received(frame, at: turn.now.monotonic), &turn)
    }

    mutating func writeFinished(_ id: WriteID, succeeded: Bool, _ turn: inout Turn) {
        perform(loop.writeFinished(id, succeeded: succeeded, at: turn.now.monotonic), &turn)
    }

    mutating func timePassed(_ turn: inout Turn) {
        let now = turn.now.monotonic
        if let time = settingsRequestAt, now >= time {
            settingsRequestAt = nil
            perform(loop.askConfiguration(at: now), &turn)
        }
        perform(loop.timePassed(at: now), &turn)
    }

    mutating func follow(_ facts: Facts, _ turn: inout Turn) {
        let now = turn.now.monotonic
        for (origin, isAnswered) in forecasts.ended(facts.sonde.forecasts, at: now) {
            if isAnswered {
                done(origin, applied: ["predict": .bool(true)], &turn)
            } else {
                refuse(origin, because: .noForecast, &turn)
            }
        }
        if facts.run.isStopping {
            settingsRequestAt = nil
            return perform(loop.stop(), &turn)
        }
        if facts.receiver.canReceiveCommands != loop.isOnline {
            if facts.receiver.canReceiveCommands {
                settingsRequestAt = now.advanced(by: Self.settingsDelay)
                perform(loop.linkOnline(maximumWriteLength: facts.receiver.maximumWriteLength, at: now), &turn)
            } else {
                settingsRequestAt = nil
                loop.linkOffline()
            }
        }
        if let order = facts.tuning.order, order.number != handledOrder {
            handledOrder = order.number
            tune(to: order, &turn)
        }
        if let order = facts.tuning.searchOrder, order.number != handledSearch {
            handledSearch = order.number
            tune(to: order, &turn)
        }
    }

    /// Tunes by the gateway's own wish, unless the receiver is offline or too many commands wait for it.
    private mutating func tune(to order: TuningOrder, _ turn: inout Turn) {
        guard let outputs = try? loop.submit(.tune(order.tuning), origin: nil, at: turn.now.monotonic) else { return }
        perform(outputs, &turn)
    }

    private mutating func perform(_ outputs: [CommandLoop.Output], _ turn: inout Turn) {
        for output in outputs {
            switch output {
            case .write(let id, let bytes): turn.write(id, bytes)
            case .answer(let answer): self.answer(answer, &turn)
            }
        }
    }

    private mutating func answer(_ answer: CommandAnswer, _ turn: inout Turn) {
        if answer.isFinal { answers[answer.status.rawValue, default: 0] += 1 }
        if let error = answer.error {
            turn.note(
                .info, "command refused or failed",
                facts: ["command": answer.origin.verb ?? "?", "why": error.message, "code": error.code.rawValue])
        }
        turn.report(.answer(AnswerReport(answer: answer, at: turn.now)))
    }
}

// MARK: - A command's missing values

extension CommandDesk {
    private func complete(
        _ order: ReceiverOrder, _ surroundings: Surroundings
    ) throws(CommandRefusal) -> ReceiverCommand {
        switch order {
        case .tune(let frequency, let type): return .tune(try tuning(frequency, type, in: surroundings))
        case .mute(let isMuted): return .mute(isMuted)
        case .requestSettings: return .requestConfiguration
        case .settings(let changes): return .settings(try checkedBattery(changes, surroundings))
        case .saveFrequencyOffset:
            guard loop.isOnline else { throw .receiverOffline }
            guard let mean = surroundings.afcMeanHz, let hertz = Int(exactly: mean.rounded()) else {
                throw CommandRefusal(.noAFC, "no AFC value heard yet; wait for the sonde")
            }
            return try frequencyOffset(hertz)
        case .setFrequencyOffset(let hertz): return try frequencyOffset(hertz)
        case .acceptProposal:
            guard loop.isOnline else { throw .receiverOffline }
            guard let tuning = surroundings.proposal else { throw .noProposal }
            return .tune(tuning)
        }
    }

    /// Completes a tuning. The missing half comes from the newest command that waits or is in flight; if there is none,
    /// from the receiver.
    private func tuning(
        _ frequencyMHz: Double?, _ type: SondeType?, in surroundings: Surroundings
    ) throws(CommandRefusal) -> Tuning {
        guard loop.isOnline else { throw .receiverOffline }
        let pending = loop.newestTuning
        let shownFrequency = surroundings.listening?.frequencyMHz ?? surroundings.configuration?.frequencyMHz
        guard let frequency = frequencyMHz ?? pending?.frequencyMHz ?? shownFrequency else {
            throw CommandRefusal(.frequencyRequired, "the receiver's frequency is not known; send frequency and type")
        }
        let shownType = surroundings.listening?.sondeType ?? surroundings.configuration?.sondeType
        guard let wanted = type ?? pending?.sondeType ?? shownType,
            let tuning = Tuning(frequencyMHz: frequency, sondeType: wanted)
        else {
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

    /// Checks that vBatMax stays above vBatMin, also if a command sets only one of them.
    private func checkedBattery(
        _ changes: [SettingChange], _ surroundings: Surroundings
    ) throws(CommandRefusal) -> [SettingChange] {
        func value(_ setting: ReceiverSetting) -> Int? {
            let wanted = changes.last { $0.setting == setting }?.value
            let shown = surroundings.configuration?[setting]
            guard case .integer(let number) = wanted ?? loop.newestValue(of: setting) ?? shown else { return nil }
            return number
        }
        let concerned = changes.contains { $0.setting == .batteryMinimum || $0.setting == .batteryMaximum }
        if concerned, let low = value(.batteryMinimum), let high = value(.batteryMaximum), high <= low {
            throw CommandRefusal(.outOfRange, "vBatMax \(high) must be above vBatMin \(low)")
        }
        return changes
    }
}
