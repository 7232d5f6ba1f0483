import GatewayReports
import ReceiverProtocol

/// Another person's report of the followed sonde that is still to be said. Anybody can report to SondeHub, as often as
/// they like, so the reports of a sonde are said with pauses.
///
/// | a report comes | the gateway |
/// | --- | --- |
/// | as the first one, or ``pause`` after the last sentence | says it at once |
/// | sooner | says it at the end of the pause |
/// | while an older one waits | says it in place of that one |
/// | with the person and the state of the last sentence | does not say it; see ``RecoveryLedger/repeats(_:)`` |
struct RecoveryNews: Sendable {
    /// The least time between two sentences about one sonde.
    static let pause = Duration.seconds(300)

    private var waiting: Recovery?
    /// Which sonde the last sentence was about, and its time.
    private var said: (serial: SondeSerial, at: MonotonicTime)?

    /// - Returns: false if this report or a newer one of the same sonde waits already.
    mutating func add(_ recovery: Recovery) -> Bool {
        if let waiting, waiting.serial == recovery.serial, waiting.time >= recovery.time { return false }
        waiting = recovery
        return true
    }

    /// Takes the report that is due.
    /// - Parameters:
    ///   - isFollowed: whether the sonde of a report is the followed one. The report of another one is dropped.
    ///   - deadline: becomes the end of the pause if that is earlier.
    mutating func next(
        _ isFollowed: (SondeSerial) -> Bool, at now: MonotonicTime, _ deadline: inout MonotonicTime?
    ) -> Recovery? {
        guard let next = waiting else { return nil }
        if let said, said.serial == next.serial, now < said.at.advanced(by: Self.pause) {
            deadline = .earliest(deadline, said.at.advanced(by: Self.pause))
            return nil
        }
        waiting = nil
        return isFollowed(next.serial) ? next : nil
    }

    /// The pause begins.
    mutating func wasSaid(_ recovery: Recovery, at now: MonotonicTime) { said = (recovery.serial, now) }
}
