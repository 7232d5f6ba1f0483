import FlightMath
public import ReceiverProtocol

/// The newest report of the followed sonde's recovery.
public struct RecoveryReport: Equatable, Sendable {
    /// The followed sonde's serial, which may differ from SondeHub's.
    public var serial: SondeSerial
    public var recovery: Recovery
    /// This gateway has made it.
    public var isOwn: Bool
    /// It waits for the network.
    public var isQueued: Bool

    public init(serial: SondeSerial, _ recovery: Recovery, isOwn: Bool, isQueued: Bool) {
        self.serial = serial
        self.recovery = recovery
        self.isOwn = isOwn
        self.isQueued = isQueued
    }

    var payload: [UInt8] {
        var json = JSONText()
        json.field("serial", serial.canonical)
        json.field("state", recovery.state.rawValue)
        json.field("by", recovery.by)
        json.field("note", recovery.note)
        json.field("time", recovery.time)
        json.field("latitude", recovery.coordinate?.latitude, decimals: 6)
        json.field("longitude", recovery.coordinate?.longitude, decimals: 6)
        json.field("own", isOwn)
        json.field("queued", isQueued)
        return json.object
    }
}
