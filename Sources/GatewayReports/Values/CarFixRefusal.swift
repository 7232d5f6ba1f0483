public import FlightMath

/// Why a car's fix is refused. Counted in health.
public enum CarFixRefusal: String, CaseIterable, Sendable {
    /// `car.sources` does not list the fix's source.
    case unusedSource = "unused_source"
    /// Out of range, or exactly 0 N 0 E, which means "no fix".
    case invalid
    /// Its accuracy is worse than 100 m.
    case inaccurate
    /// The fix's own time is too old, or in the future.
    case wrongTime = "wrong_time"
    /// The fix's own time went back.
    case backwards
    /// The source repeats one time, as a hung GPS receiver does.
    case standsStill = "stands_still"
    /// No car is fast enough to be there.
    case jump

    /// The source has two devices, and the other one counts.
    case otherDevice = "other_device"

    /// OwnTracks: the phone encrypts its messages.
    case encrypted
    /// A line or message that is no JSON, has no place, or has texts in place of numbers. NMEA and GDL 90: bytes that are
    /// no whole message with a right checksum.
    case unreadable

    /// A sentence that says what is wrong and what to do.
    public func sentence(for source: CarSource) -> String {
        switch self {
        case .unusedSource: "car.sources does not name this source; add it there"
        case .invalid: "it is no place on Earth; has the receiver a fix?"
        case .inaccurate: "it is less accurate than 100 m; does the receiver have a clear view of the sky?"
        case .wrongTime: "its time is more than 10 s (OwnTracks: 60 s) from this machine's; is its clock right?"
        case .backwards: "its time goes backwards; do two devices send under one name?"
        case .standsStill: "its time stands still; has the GPS receiver hung?"
        case .otherDevice: "another receiver of this source counts"
        case .encrypted: "the phone encrypts it; switch the payload encryption off in the app"
        case .unreadable: Self.unreadable(source)
        case .jump: "it jumps faster than 90 m/s; do two devices send under one name?"
        }
    }

    private static func unreadable(_ source: CarSource) -> String {
        switch source {
        case .gpsd, .owntracks, .rdz, .horus: "its latitude and longitude are no JSON numbers; what sends it?"
        case .nmea: "no whole sentence with a checksum comes; is it NMEA 0183, and is the baud rate right?"
        case .gdl90: "no whole message with a checksum comes; is it GDL 90?"
        }
    }
}
