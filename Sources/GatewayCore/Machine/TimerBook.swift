import ReceiverProtocol

/// Which timers run, so that only changes become actions.
struct TimerBook: Equatable, Sendable {
    private var running: [TimerID: MonotonicTime] = [:]

    /// A timer fired. One that fired early is running no more and is set again by ``changes(to:)``.
    mutating func fired(_ id: TimerID) {
        running[id] = nil
    }

    /// Makes the running timers match `deadlines`.
    ///
    /// A deadline that moves out (the link's silence, with every frame) leaves its timer alone: the firing finds the
    /// new deadline and asks for the rest. So a frame costs no timer.
    mutating func changes(to deadline: (TimerID) -> MonotonicTime?, _ turn: inout Turn) {
        for id in TimerID.allCases {
            switch (running[id], deadline(id)) {
            case (nil, nil): break
            case (.some, nil):
                running[id] = nil
                turn.perform([.cancelTimer(id)])
            case (let current, let wanted?):
                if let current, current <= wanted { break }
                running[id] = wanted
                turn.perform([.setTimer(id, at: wanted)])
            }
        }
    }
}
