import FlightMath
import GatewayReports

extension FlightLogEntry {
    /// The entry with corrected times, after the clock was set before the entry was saved. The times of SondeHub's
    /// points and of borrowed winds were right and stay.
    /// - Parameters:
    ///   - change: by how much the times were wrong, milliseconds.
    ///   - start: earlier times stay.
    func clockSet(byMilliseconds change: Int64, since start: WallTime) -> FlightLogEntry {
        func corrected(_ time: WallTime) -> WallTime { time.clockSet(byMilliseconds: change, since: start) }
        func corrected<Value: HoldsTimes>(_ value: Value) -> Value {
            var value = value
            value.replaceTimes(corrected)
            return value
        }
        switch self {
        case .points(let serial, let type, let points):
            return .points(
                serial, type,
                points.map { point in
                    var point = point
                    if point.source == .ble { point.time = corrected(point.time) }
                    return point
                })
        case .landingPoint(let serial, let point): return .landingPoint(serial, corrected(point))
        case .prediction(let serial, let prediction): return .prediction(serial, corrected(prediction))
        case .lesson(let serial, let lesson): return .lesson(serial, lesson.map { corrected($0) })
        case .winds(let winds): return winds.origin == .borrowed ? self : .winds(corrected(winds))
        case .newFlight(let serial, let start): return .newFlight(serial, since: corrected(start))
        case .forgotten(let serial, let first, let last):
            return .forgotten(serial, from: corrected(first), through: corrected(last))
        case .carPoint(let serial, var point):
            point.time = corrected(point.time)
            return .carPoint(serial, point)
        case .sample(let serial, var sample):
            sample.time = corrected(sample.time)
            return .sample(serial, sample)
        case .receiver(let serial, var event):
            event.time = corrected(event.time)
            return .receiver(serial, event)
        // A setting is recorded again, and SondeHub has the time of a recovery. The others have no times.
        case .setting, .recovery, .lessonsForgotten, .clockSet: return self
        }
    }
}
