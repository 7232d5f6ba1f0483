import Foundation

/// The condition did not come true in time.
public struct TimedOut: Error, CustomStringConvertible {
    public var description: String
}

/// How long a test waits for a condition, in seconds: long, because the machine may be slow and has others' work. It costs
/// nothing when the condition comes. A promised time is shorter, and its test runs alone (Tests/steps.sh).
public let usualDeadline = 60.0

/// Polls until `condition` returns a value; throws at the deadline.
///
/// A machine under load may not run this task for seconds. Such a time does not count as waiting. So the call fails
/// only after a minimum of polls, too: half of those that fit into the time, at most a hundred.
@discardableResult
public func eventually<Value>(
    _ what: @autoclosure () -> String, within seconds: Double = usualDeadline, _ condition: () async throws -> Value?
) async throws -> Value {
    let pause = Duration.milliseconds(20)
    let deadline = ContinuousClock.now.advanced(by: .seconds(seconds))
    var polls = min(100, Int(.seconds(seconds) / pause / 2))
    while polls > 0 || ContinuousClock.now < deadline {
        if let value = try await condition() { return value }
        polls -= 1
        try await Task.sleep(for: pause)
    }
    throw TimedOut(description: "not within \(seconds) s: \(what())")
}

extension Bool {
    /// True or nil, for ``eventually(_:within:_:)``.
    public var orNil: Bool? { self ? true : nil }
}
