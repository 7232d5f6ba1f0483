import GatewayReports
import ReceiverProtocol

/// What the sonde is called, and by whom. Who asks whether a name means the followed sonde asks here.
struct SondeNames: Equatable, Sendable {
    /// Nil while no sonde is known.
    let serial: SondeSerial?
    /// SondeHub's name for it, if that differs from the receiver's.
    var onSondeHub: SondeSerial?
    /// All names that SondeHub has used for it in this run, besides ``serial``.
    var usedOnSondeHub: Set<SondeSerial> = []
    /// The receiver's name for it, if SondeHub has named it first and the names differ.
    var atReceiver: SondeSerial?
    /// The sonde's type as it was last named; nil while no frame has named it.
    var sondeType: SondeType?

    init(_ serial: SondeSerial?, type: SondeType? = nil) {
        self.serial = serial
        sondeType = type
    }

    /// The serial that SondeHub uses for this sonde.
    var sondeHubSerial: SondeSerial? { onSondeHub ?? serial }

    /// Whether SondeHub's `name` means this sonde.
    func isOnSondeHub(as name: SondeSerial) -> Bool { name == serial || name == onSondeHub }

    /// The gateway's name for the sonde that SondeHub calls `name`.
    func ownName(of name: SondeSerial) -> SondeSerial { isOnSondeHub(as: name) ? serial ?? name : name }

    /// SondeHub's name for the sonde that the gateway calls `serial`.
    func sondeHubName(of serial: SondeSerial) -> SondeSerial { serial == self.serial ? onSondeHub ?? serial : serial }

    /// The record with the gateway's name.
    func named(_ record: SondeHubRecord) -> SondeHubRecord {
        var record = record
        record.serial = ownName(of: record.serial)
        return record
    }

    /// The name besides ``serial``; nil if there is none.
    var second: SondeSerial? { onSondeHub ?? atReceiver }
}
