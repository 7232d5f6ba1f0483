import FlightMath
import ReceiverProtocol

/// Picks the sonde that matters out of what SondeHub tells.
enum SondeHubChoice {
    /// Sondes this near to their uploader are on a test bench, metres.
    static let groundTestMetres = 1000.0

    /// A record that was not taken, and how far it was from its uploader.
    struct GroundTest: Equatable {
        var serial: SondeSerial
        var metres: Double
    }

    /// - Parameter hunted: only this one, whatever else is newer; nil takes the newest.
    /// - Returns: the newest usable record, and the ones skipped as tests on the ground.
    static func newest(
        of records: [SondeHubRecord], hunted: SondeSerial?
    ) -> (record: SondeHubRecord?, groundTests: [GroundTest]) {
        var groundTests: [GroundTest] = []
        let usable = records.filter { record in
            if let hunted { return record.serial == hunted }
            guard let uploader = record.uploader else { return true }
            let metres = record.coordinate.distanceMetres(to: uploader)
            guard metres < groundTestMetres else { return true }
            groundTests.append(GroundTest(serial: record.serial, metres: metres))
            return false
        }
        return (usable.max { $0.time < $1.time }, groundTests)
    }
}
