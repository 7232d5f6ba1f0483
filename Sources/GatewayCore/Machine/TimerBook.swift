import ReceiverProtocol

/// Which timers run, so that only changes become actions and a late firing is inert.
struct TimerBook: Equatable, Sendable {
    private var running: [TimerID: MonotonicTime] = [:]

    /// A timer fired. False when it was cancelled or replaced meanwhile.
    mutating func fired(_ id: TimerID, at now: MonotonicTime) -> Bool {
        guard let deadline = running[id], now >= deadline else { return false }
        running[id] = nil
        return true
    }

    /// Makes the running timers match `deadlines`.
    ///
    /// A deadline that moves out (the link's silence, with every frame) leaves its timer alone: the firing finds the
    /// new deadline and asks for the rest. So a frame costs no timer.
    mutating func changes(to deadlines: [TimerID: MonotonicTime]) -> [GatewayAction] {
        var actions: [GatewayAction] = []
        for id in TimerID.allCases {
            switch (running[id], deadlines[id]) {
            case (nil, nil): break
            case (.some, nil):
                running[id] = nil
                actions.append(.cancelTimer(id))
            case (let current, let wanted?):
                if let current, current <= wanted { break }
                running[id] = wanted
                actions.append(.setTimer(id, at: wanted))
            }
        }
        return actions
    }
}
