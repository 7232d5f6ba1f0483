import GatewayCore
import ReceiverProtocol

/// The loop's one timer: many deadlines, one sleeping task.
///
/// Most deadlines move out with every frame. The timer follows them: to be set anew costs less than to wake for nothing.
struct WakeUp {
    /// A wake that is so much too early is cheaper than a new timer; frames of a flood come closer to each other.
    private static let slack = Duration.milliseconds(250)

    private var armed: (at: MonotonicTime, task: Task<Void, Never>)?

    /// Wakes the loop at `deadline`, or a little earlier; nil never.
    mutating func set(_ deadline: MonotonicTime?, _ inputs: GatewayInputs) {
        if let armed, let deadline, armed.at <= deadline, armed.at.duration(to: deadline) < Self.slack { return }
        armed?.task.cancel()
        armed = nil
        guard let deadline else { return }
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
