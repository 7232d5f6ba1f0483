import Logging
import ReceiverProtocol

extension RepeatedFaults {
    /// Logs `message`, unless it was logged with the same reason (but for its numbers) less than a minute ago. A count tells how often it
    /// came since.
    /// - Parameter isFault: false for the end of a fault.
    /// - Returns: whether it was logged.
    @discardableResult mutating func log(
        _ message: String, isFault: Bool = true, level: Logger.Level, facts: Logger.Metadata, to log: Logger,
        at now: MonotonicTime
    ) -> Bool {
        // A time or a size in the reason changes with each attempt, and the fault is the same.
        let reason = facts["why"].map { " \($0)".filter { !$0.isNumber } } ?? ""
        guard let count = admits(message + reason, isFault: isFault, at: now) else { return false }
        var facts = facts
        if count > 1 { facts["times"] = "\(count)" }
        log.log(level: level, "\(message)", metadata: facts)
        return true
    }
}
