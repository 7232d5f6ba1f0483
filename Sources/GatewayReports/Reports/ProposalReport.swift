public import ReceiverProtocol

/// A frequency proposal that waits for its answer.
public struct ProposalReport: Equatable, Sendable {
    var serial: SondeSerial?
    public var tuning: Tuning
    var listening: Listening?

    public init(serial: SondeSerial? = nil, tuning: Tuning, listening: Listening? = nil) {
        self.serial = serial
        self.tuning = tuning
        self.listening = listening
    }

    var payload: [UInt8] {
        var json = JSONText()
        json.field("serial", serial?.canonical)
        json.fields(of: tuning)
        json.field("receiver_frequency_mhz", listening?.frequencyMHz, decimals: 3)
        json.field("receiver_sonde_type", listening?.sondeType.name)
        return json.object
    }
}

extension JSONText {
    mutating func fields(of tuning: Tuning) {
        field("frequency_mhz", tuning.frequencyMHz, decimals: 3)
        field("sonde_type", tuning.sondeType.name)
    }
}
