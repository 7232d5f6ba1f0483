import FlightMath
import GatewayReports
import ReceiverProtocol

// The command `search`.

extension GatewayMachine {
    /// - Returns: the answer's field `applied`.
    mutating func orderSearch(_ isOn: Bool, at now: Moment) throws(CommandRefusal) -> [String: JSONValue] {
        if isOn { try requireSilence(at: now) }
        tuning.search.change(to: isOn)
        return ["search": .bool(isOn)]
    }

    /// - Throws: if the receiver is offline, hears a sonde or has an open proposal, or if there is no frequency to
    ///   search.
    private mutating func requireSilence(at now: Moment) throws(CommandRefusal) {
        guard facts.receiver.canReceiveCommands else { throw .receiverOffline }
        let quietAt = facts.receiver.sondeHeardAt?.advanced(by: Search.dwell) ?? now.monotonic
        guard !facts.receiver.givesPositions, now.monotonic >= quietAt else {
            throw CommandRefusal(.unavailable, "the receiver hears a sonde")
        }
        guard tuning.sync.open == nil else {
            throw CommandRefusal(.unavailable, "a frequency proposal is open; accept or defer it first")
        }
        guard sondeHub.options.isEnabled || !tuning.search.tunings(facts).isEmpty else {
            throw CommandRefusal(
                .unavailable, "there is no frequency to search: SondeHub is off, and receiver.search lists none")
        }
    }
}
