import FlightMath

/// A value that keeps its times of day right when the clock is set: it remembers the clock that gave them, and is
/// written out by the present one.
struct Dated<Value: HoldsTimes>: Sendable {
    /// The value as it was made. Its times may be by a clock that was wrong.
    var original: Value
    /// The clock that gave the times; nil if they are another machine's or an earlier run's, which stay.
    private let clock: RunClock?

    /// - Parameter clock: this run's clock when the value was made.
    init(_ value: Value, by clock: RunClock) { (original, self.clock) = (value, clock) }

    /// A value whose times are another clock's.
    init(fromElsewhere value: Value) { (original, clock) = (value, nil) }

    /// One of the value's times by the present clock.
    func time(_ time: KeyPath<Value, WallTime>, by present: RunClock) -> WallTime {
        let original = original[keyPath: time]
        return clock.map { present.corrected(original, by: $0) } ?? original
    }

    /// The value with its times by the present clock.
    func value(by present: RunClock) -> Value {
        guard let clock, clock != present else { return original }
        return original.replacingTimes { present.corrected($0, by: clock) }
    }
}

extension Dated: Equatable where Value: Equatable {}
