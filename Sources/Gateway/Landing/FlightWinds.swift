import FlightMath
import ReceiverProtocol

/// The winds that the followed flight has met: stored and published once a minute in flight, and after the landing.
struct FlightWinds: Sendable {
    private static let interval = Duration.seconds(60)

    /// The winds as they were last stored; nil before the first time.
    private(set) var stored: StoredWinds?
    var borrowing = WindBorrowing()
    private var storeAt: MonotonicTime?

    /// - Returns: whether it is time to store what the flight teaches.
    mutating func follow(
        _ flight: Flight, of serial: SondeSerial?, for memory: inout WindMemory, _ turn: inout Turn
    ) -> Bool {
        guard let serial, flight.isLetGo, flight.newest != nil else { return false }
        let isDown = flight.phase.phase == .landed
        let now = turn.now.monotonic
        guard isDown ? storeAt != nil : now >= storeAt ?? now else { return false }
        storeAt = isDown ? nil : now.advanced(by: Self.interval)
        guard let winds = flight.winds(of: serial), winds != stored else { return true }
        stored = winds
        memory.keep(winds, &turn)
        return true
    }
}
