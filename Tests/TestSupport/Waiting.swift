import Foundation

/// The condition did not come true in time.
public struct TimedOut: Error, CustomStringConvertible {
    public var description: String
}

/// Polls until `condition` gives a value, or fails at the deadline.
@discardableResult
public func eventually<Value>(
    _ what: @autoclosure () -> String, within seconds: Double = 60, _ condition: () async throws -> Value?
) async throws -> Value {
    let deadline = ContinuousClock.now.advanced(by: .seconds(seconds))
    while ContinuousClock.now < deadline {
        if let value = try await condition() { return value }
        try await Task.sleep(for: .milliseconds(20))
    }
    throw TimedOut(description: "not within \(seconds) s: \(what())")
}

extension Bool {
    /// For ``eventually(_:within:_:)``.
    public var orNil: Bool? { self ? true : nil }
}
