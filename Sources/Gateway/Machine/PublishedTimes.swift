import FlightMath
import ReceiverProtocol

/// The newest published time of each of the latest sondes. If a sonde returns, its times continue from there.
struct PublishedTimes: Equatable, Sendable {
    /// The most sondes. Beyond that the one with the oldest time is forgotten.
    private static let limit = 64

    private var newest: [SondeSerial?: WallTime] = [:]

    subscript(serial: SondeSerial?) -> WallTime? { newest[serial] }

    mutating func remember(_ time: WallTime, of serial: SondeSerial?) {
        newest[serial] = max(time, newest[serial] ?? time)
        guard newest.count > Self.limit else { return }
        if let oldest = newest.min(by: { $0.value < $1.value }) { newest[oldest.key] = nil }
    }

    /// Call when the clock was set. Times may then go back once.
    mutating func clear() {
        newest = [:]
    }
}
