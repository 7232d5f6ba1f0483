import Gateway
import ReceiverProtocol

/// The loop's one timer: many deadlines, one alarm.
///
/// Most deadlines move with every frame, and the alarm follows them. Where the loop has a thread of its own and keeps the
/// machine's time that is the thread's; otherwise it is a task that sleeps.
struct WakeUp {
    /// A wake that is so much too early is cheaper than a new task; frames of a flood come closer to each other.
    private static let slack = Duration.milliseconds(250)

    private let inputs: GatewayInputs
    private let executor: LoopExecutor?
    private var armed: (at: MonotonicTime, task: Task<Void, Never>)?

    init(_ inputs: GatewayInputs) {
        self.inputs = inputs
        executor = (inputs.clock as? SystemGatewayClock)?.executor
    }

    /// Wakes the loop at `deadline`, or a little earlier; nil never.
    mutating func set(_ deadline: MonotonicTime?) {
        if let executor { return executor.setAlarm(deadline) { [inputs] in inputs.wake() } }
        if let armed, let deadline, armed.at <= deadline, armed.at.duration(to: deadline) < Self.slack { return }
        armed?.task.cancel()
        armed = nil
        guard let deadline else { return }
        armed = (
            deadline,
            Task(executorPreference: inputs.executor) { [inputs] in
                await inputs.clock.sleep(until: deadline)
                if !Task.isCancelled { inputs.wake() }
            }
        )
    }

    /// It has gone off.
    mutating func fired() {
        armed = nil
    }

    mutating func cancel() {
        set(nil)
    }
}
