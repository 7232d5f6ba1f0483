import ReceiverProtocol

/// Which timers run, so that only changes become actions.
struct TimerBook: Equatable, Sendable {
    private var running: [TimerID: MonotonicTime] = [:]

    /// A timer fired. One that fired early is running no more and is set again by ``follow(_:to:_:)``.
    mutating func fired(_ id: TimerID) {
        running[id] = nil
    }

    /// Makes a timer match its `deadline`; nil for none.
    ///
    /// A deadline that moves out (the link's silence, with every frame) leaves its timer alone: the firing finds the
    /// new deadline and asks for the rest. So a frame costs no timer.
    mutating func follow(_ id: TimerID, to deadline: MonotonicTime?, _ turn: inout Turn) {
        switch (running[id], deadline) {
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
