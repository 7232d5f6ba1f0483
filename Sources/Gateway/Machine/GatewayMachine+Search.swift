import FlightMath
import GatewayReports
import ReceiverProtocol

// The command `search`.

extension GatewayMachine {
    /// - Returns: what was applied.
    mutating func orderSearch(_ isOn: Bool, at now: Moment) throws(CommandRefusal) -> [String: JSONValue] {
        if isOn { try requireSilence(at: now) }
        search.change(to: isOn)
        return ["search": .bool(isOn)]
    }

    /// The search would take the receiver from a sonde, or from a tuning that is proposed.
    private mutating func requireSilence(at now: Moment) throws(CommandRefusal) {
        guard facts.canReceiveCommands else { throw .receiverOffline }
        let quietAt = facts.sondeHeardAt?.advanced(by: Search.dwell) ?? now.monotonic
        guard !facts.hasTelemetry, now.monotonic >= quietAt else {
            throw CommandRefusal(.unavailable, "the receiver hears a sonde")
        }
        guard frequencySync.open == nil else {
            throw CommandRefusal(.unavailable, "a frequency proposal is open; accept or defer it first")
        }
        guard sondeHub.options.isEnabled || !search.tunings(facts).isEmpty else {
            throw CommandRefusal(
                .unavailable, "there is no frequency to search: SondeHub is off, and receiver.search lists none")
        }
    }
}
