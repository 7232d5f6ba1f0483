import Gateway
import ReceiverProtocol

/// The loop's one timer, for the earliest of its deadlines. A deadline that moves back leaves the timer as it is: the loop
/// looks at the time itself.
struct WakeUp {
    private let inputs: GatewayInputs
    private var armed: (at: MonotonicTime, task: Task<Void, Never>)?

    init(_ inputs: GatewayInputs) {
        self.inputs = inputs
    }

    /// Wakes the loop at `deadline` at the latest; nil changes nothing.
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

    /// The loop was woken.
    mutating func fired(at now: MonotonicTime) {
        if let armed, armed.at <= now { self.armed = nil }
    }

    mutating func cancel() {
        armed?.task.cancel()
        armed = nil
    }
}
