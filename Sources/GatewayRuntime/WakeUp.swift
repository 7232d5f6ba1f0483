import GatewayCore
import ReceiverProtocol

/// The loop's one timer: many deadlines, one sleeping task. One that moves out leaves it alone, so a frame costs none.
struct WakeUp {
    private var armed: (at: MonotonicTime, task: Task<Void, Never>)?

    /// Wakes the loop at `deadline`, or a little earlier; nil never.
    mutating func set(_ deadline: MonotonicTime?, _ inputs: GatewayInputs) {
        guard let deadline else { return }
        if let armed, armed.at <= deadline { return }
        armed?.task.cancel()
        armed = (
            deadline,
            Task(executorPreference: inputs.executor) { [inputs] in
                await inputs.clock.sleep(until: deadline)
                if !Task.isCancelled { await inputs.wake() }
            }
        )
    }

    /// It has gone off.
    mutating func fired() {
        armed = nil
    }

    func cancel() {
        armed?.task.cancel()
    }
}
