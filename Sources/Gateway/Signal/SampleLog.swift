import FlightMath
import ReceiverProtocol

/// Records how the receiver heard the followed sonde: a sample a second, with the flight.
struct SampleLog: Sendable {
    /// Frames come once a second, and not always on time.
    private static let step = Duration.milliseconds(900)

    private var lastAt: MonotonicTime?

    /// - Parameters:
    ///   - followed: the followed sonde. Another one's frames are not recorded.
    ///   - place: the receiver's; nil if nobody knows it.
    mutating func hear(_ heard: HeardFrame, followed: SondeSerial?, from place: Coordinate?, _ turn: inout Turn) {
        guard let followed, heard.serial == followed, heard.frame.kind != .noSonde,
            lastAt.map({ heard.at.monotonic.duration(since: $0) >= Self.step }) ?? true
        else { return }
        lastAt = heard.at.monotonic
        turn.record(.sample(followed, HeardSample(heard.frame, at: heard.at.wall, from: place)))
    }
}

extension HeardSample {
    /// Nil for a record without measurements.
    init?(_ record: SondeHubRecord) {
        self.init(time: record.time, source: .sondehub)
        (temperatureCelsius, humidityPercent) = (record.temperatureCelsius, record.humidityPercent)
        pressureHectopascal = record.pressureHectopascal
        guard temperatureCelsius != nil || humidityPercent != nil || pressureHectopascal != nil else { return nil }
        frequencyMHz = record.frequencyMHz
    }
}
