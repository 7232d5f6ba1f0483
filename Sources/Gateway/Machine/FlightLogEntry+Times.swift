package import FlightMath

/// The entry with corrected times, if the clock was set before the entry was saved. A setting is recorded again, and
/// SondeHub has the time of a recovery.
extension FlightLogEntry: HoldsTimes {
    package mutating func replaceTimes(_ replacement: (WallTime) -> WallTime) {
        func replaced<Value: HoldsTimes>(_ value: Value) -> Value { value.replacingTimes(replacement) }
        switch self {
        case .points(let serial, let type, let points): self = .points(serial, type, points.map(replaced))
        case .landingPoint(let serial, let point): self = .landingPoint(serial, replaced(point))
        case .prediction(let serial, let prediction): self = .prediction(serial, replaced(prediction))
        case .lesson(let serial, let lesson): self = .lesson(serial, lesson.map(replaced))
        case .winds(let winds): self = .winds(replaced(winds))
        case .newFlight(let serial, let start): self = .newFlight(serial, since: replacement(start))
        case .forgotten(let serial, let first, let last):
            self = .forgotten(serial, from: replacement(first), through: replacement(last))
        case .carPoint(let serial, let point): self = .carPoint(serial, replaced(point))
        case .sample(let serial, let sample): self = .sample(serial, replaced(sample))
        case .receiver(let serial, let event): self = .receiver(serial, replaced(event))
        case .setting, .recovery, .lessonsForgotten, .clockSet: break
        }
    }
}
