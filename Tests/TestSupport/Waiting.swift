import Foundation

/// The condition did not come true in time.
public struct TimedOut: Error, CustomStringConvertible {
    public var description: String
}

/// Polls until `condition` gives a value, or fails at the deadline.
///
/// Tests that compute for seconds can take every thread there is; time that passes without a poll is no waiting, so that
/// half the polls that fit into the time, a hundred at the most, have to have failed as well.
@discardableResult
public func eventually<Value>(
    _ what: @autoclosure () -> String, within seconds: Double = 60, _ condition: () async throws -> Value?
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
    /// For ``eventually(_:within:_:)``.
    public var orNil: Bool? { self ? true : nil }
}
