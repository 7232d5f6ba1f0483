import Foundation
import Synchronization

/// A real gpsd with a GPS receiver that `gpsfake` plays from an NMEA log: one epoch a second, with the current time.
public final class GPSReceiver: Sendable {
    public let port: Int
    private let latitude: Double
    private let longitude: Double
    private let log: URL
    private let player = Mutex<Child?>(nil)

    /// - Parameters:
    ///   - latitude: degrees north.
    ///   - longitude: degrees east.
    ///   - seconds: how long the log plays. Then the receiver disappears as if unplugged, and gpsd goes on.
    public init(port: Int = Broker.freePort(), latitude: Double, longitude: Double, seconds: Int) throws {
        self.port = port
        (self.latitude, self.longitude) = (latitude, longitude)
        log = try temporaryDirectory().appendingPathComponent("drive.nmea")
        try start(seconds: seconds)
    }

    deinit { stop() }

    public func start(seconds: Int) throws {
        let begin = Date()
        let epochs = (0..<seconds).map { epoch(begin.addingTimeInterval(Double($0))) }
        try Data(epochs.joined().utf8).write(to: log)
        // Each epoch has three sentences.
        let child = try Child("gpsfake", ["-1", "-c", "0.33", "-P", "\(port)", log.path])
        player.withLock { $0 = child }
    }

    /// Ends the player, which ends its gpsd.
    public func stop() {
        let child = player.withLock { child in
            defer { child = nil }
            return child
        }
        child?.kill(SIGTERM)
        // SIGKILL would leave gpsd running.
        child?.wait(atMost: 5)
    }

    private func epoch(_ date: Date) -> String {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = TimeZone(secondsFromGMT: 0) ?? .current
        let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: date)
        let time = String(format: "%02d%02d%02d.00", parts.hour ?? 0, parts.minute ?? 0, parts.second ?? 0)
        let day = String(format: "%02d%02d%02d", parts.day ?? 0, parts.month ?? 0, (parts.year ?? 0) % 100)
        let place = String(
            format: "%02d%07.4f,N,%03d%07.4f,E", Int(latitude), (latitude - Double(Int(latitude))) * 60, Int(longitude),
            (longitude - Double(Int(longitude))) * 60)
        // 27 knots to the east.
        return Self.sentence("GPRMC,\(time),A,\(place),27.0,90.0,\(day),,,A")
            + Self.sentence("GPGGA,\(time),\(place),1,08,0.9,430.0,M,47.0,M,,")
            + Self.sentence("GPGSA,A,3,01,02,03,04,05,06,07,08,,,,,1.5,0.9,1.2")
    }

    private static func sentence(_ body: String) -> String {
        "$\(body)*" + String(format: "%02X", body.utf8.reduce(0) { $0 ^ $1 }) + "\r\n"
    }
}
