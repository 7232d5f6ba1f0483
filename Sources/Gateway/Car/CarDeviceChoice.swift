import FlightMath
import GatewayReports
import ReceiverProtocol

/// Chooses one of a source's devices. A gpsd with two GPS receivers sends the fixes of both in turn, some metres apart.
struct CarDeviceChoice: Equatable, Sendable {
    /// Another device is used when the chosen one has sent no usable fix for this long.
    private static let silence = Duration.seconds(10)

    private var name: String?
    private var usedAt = MonotonicTime.zero
    private var isTold = false

    /// - Returns: whether the fix is refused, because another device is in use.
    mutating func refuses(_ fix: CarFix, _ turn: inout Turn) -> Bool {
        guard let name, let device = fix.device, device != name,
            turn.now.monotonic.duration(since: usedAt) < Self.silence
        else { return false }
        if !isTold {
            isTold = true
            turn.note(
                .notice, "the source has more than one receiver; another one counts after 10 s of silence",
                facts: ["source": fix.source.rawValue, "used": name, "other": device])
        }
        return true
    }

    mutating func used(_ fix: CarFix, at now: MonotonicTime) {
        (name, usedAt) = (fix.device, now)
    }
}
