import Gateway
import ReceiverProtocol

/// The loop's only timer, for its earliest deadline. If that deadline becomes later, the timer stays, and the woken
/// loop compares the time itself.
struct WakeUp {
    private let inputs: GatewayInputs
    private var armed: (at: MonotonicTime, task: Task<Void, Never>)?

    init(_ inputs: GatewayInputs) {
        self.inputs = inputs
    }

    /// Wakes the loop at `deadline` or earlier; nil changes nothing.
    mutating func set(_ deadline: MonotonicTime?) {
        guard let deadline, armed.map({ deadline < $0.at }) ?? true else { return }
        armed?.task.cancel()
        armed = (
            deadline,
            Task(executorPreference: inputs.executor) { [inputs] in
                await inputs.clock.sleep(until: deadline)
                if !Task.isCancelled { await inputs.wake() }
            }
        )
    }

    /// Forgets the timer if it was due.
    mutating func fired(at now: MonotonicTime) {
        if let armed, armed.at <= now { self.armed = nil }
    }

    mutating func cancel() {
        armed?.task.cancel()
        armed = nil
    }
}
