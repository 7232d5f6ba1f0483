import FlightMath
import ReceiverProtocol

/// The newest time that was published of each of the latest sondes: one that comes back goes on from it.
struct PublishedTimes: Equatable, Sendable {
    /// Beyond it, the one whose time is the oldest is forgotten.
    private static let limit = 64

    private var newest: [SondeSerial?: WallTime] = [:]

    subscript(serial: SondeSerial?) -> WallTime? { newest[serial] }

    mutating func remember(_ time: WallTime, of serial: SondeSerial?) {
        newest[serial] = max(time, newest[serial] ?? time)
        guard newest.count > Self.limit else { return }
        if let oldest = newest.min(by: { $0.value < $1.value }) { newest[oldest.key] = nil }
    }

    /// The clock was set: times may go back this once.
    mutating func clear() {
        newest = [:]
    }
}
