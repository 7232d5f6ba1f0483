import ReceiverProtocol

/// The running timers. Only changes become actions.
struct TimerBook: Equatable, Sendable {
    private var running: [TimerID: MonotonicTime] = [:]

    /// A timer fired. If it fired early, ``follow(_:to:_:)`` sets it again.
    mutating func fired(_ id: TimerID) {
        running[id] = nil
    }

    /// Makes a timer match its `deadline`; nil for none.
    ///
    /// If the deadline only moves to a later time, the timer stays. When it fires, it is set to the new deadline. Each
    /// frame moves the deadline of the link's silence, and so needs no timer action.
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
