import FlightMath
import GatewayReports
import ReceiverProtocol

/// The sondes that were followed before the present one. A sonde that comes back within three hours continues its
/// flight, because an interruption is no end.
struct InterruptedSondes: Sendable {
    /// The most sondes. Beyond that the sonde that was left first is forgotten.
    private static let limit = 4

    private var sondes: [FollowedSonde] = []

    mutating func keep(_ sonde: FollowedSonde) {
        guard sonde.serial != nil else { return }
        sondes.removeAll { $0.serial == sonde.serial }
        sondes.append(sonde)
        if sondes.count > Self.limit { sondes.removeFirst() }
    }

    /// The serial of the sonde that the receiver calls by this name; nil if none is known.
    func serial(atReceiver name: SondeSerial) -> SondeSerial? {
        sondes.first { $0.serial == name || $0.names.atReceiver == name }?.serial
    }

    /// The sonde that SondeHub or the gateway calls by this name; nil if none is known.
    func sonde(named name: SondeSerial) -> FollowedSonde? { sondes.first { $0.names.isOnSondeHub(as: name) } }

    /// Lets `body` add an earlier run's knowledge of a sonde. A sonde that this run does not know becomes the oldest
    /// one.
    mutating func change(_ serial: SondeSerial, _ body: (inout FollowedSonde) -> Void) {
        if let index = sondes.firstIndex(where: { $0.serial == serial }) { return body(&sondes[index]) }
        guard sondes.count < Self.limit else { return }
        var sonde = FollowedSonde(serial)
        body(&sonde)
        sondes.insert(sonde, at: 0)
    }

    /// Removes a sonde, to follow it again.
    /// - Returns: nil if it is not known, or if no source has heard it for too long.
    mutating func resume(_ serial: SondeSerial?, at now: MonotonicTime) -> FollowedSonde? {
        guard let index = sondes.firstIndex(where: { $0.serial == serial }) else { return nil }
        let sonde = sondes.remove(at: index)
        return sonde.isRecent(at: now) ? sonde : nil
    }

    mutating func changeEach(_ body: (inout FollowedSonde) -> Void) {
        for index in sondes.indices { body(&sondes[index]) }
    }
}
