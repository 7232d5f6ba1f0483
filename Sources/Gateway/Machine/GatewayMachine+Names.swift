import FlightMath
import GatewayReports
import ReceiverProtocol

// One name for the followed sonde. The receiver and SondeHub may each have another one.

extension GatewayMachine {
    /// The serial of the sonde that the receiver hears under another name, because SondeHub has named it first; nil
    /// if the receiver's name stands.
    mutating func serial(of heard: HeardFrame, _ turn: inout Turn) -> SondeSerial? {
        guard let name = heard.serial, name != sonde.serial else { return nil }
        if name == sonde.names.atReceiver { return sonde.serial }
        if let known = interrupted.serial(atReceiver: name) { return known }
        // If SondeHub has a sonde of this name, there are two sondes.
        guard sondesAround.record(of: name) == nil, sonde.isSame(as: heard) else { return nil }
        sonde.rename(atReceiver: name, &turn)
        return sonde.serial
    }

    /// The answer with the gateway's name for the followed sonde, if SondeHub has it under another one only.
    mutating func name(_ answer: SondeHubAnswer, _ turn: inout Turn) -> SondeHubAnswer {
        let facts = facts
        // If another sonde is wanted, the answer need not hold the followed one.
        guard sondeHub.wanted(facts, at: turn.now) == sonde.serial,
            let name = sonde.likeness(listeningOnMHz: receiver.listening?.frequencyMHz)?.name(in: answer.records)
        else { return answer }
        sonde.rename(onSondeHub: name, &turn)
        var answer = answer
        answer.records = answer.records.map { sonde.names.named($0) }
        return answer
    }
}
