import FlightMath
import GatewayReports
import ReceiverProtocol

/// The orders to predict anew that wait for a forecast server's answer.
///
///     an answer comes             done
///     nobody is asked any more    rejected: the servers failed, want a pause, or the sonde does not fly any more
///     30 s without an answer      rejected
struct ForecastOrders: Sendable {
    /// The most orders that wait. A further one is refused.
    private static let limit = 8
    private static let timeLimit = Duration.seconds(30)

    private struct Order: Sendable {
        var origin: CommandOrigin
        /// The number of answers before the order.
        var answers: Int

        var endsAt: MonotonicTime { origin.receivedAt.monotonic.advanced(by: ForecastOrders.timeLimit) }
    }

    private var waiting: [Order] = []

    /// When the first order is given up; nil if none waits.
    var deadline: MonotonicTime? { waiting.first?.endsAt }

    mutating func add(_ origin: CommandOrigin, after forecasts: ForecastFacts) throws(CommandRefusal) {
        guard waiting.count < Self.limit else {
            throw CommandRefusal(.busy, "\(Self.limit) orders wait for a forecast already")
        }
        waiting.append(Order(origin: origin, answers: forecasts.answers))
    }

    /// Removes the orders that have ended.
    /// - Returns: their origins; whether an answer came.
    mutating func ended(
        _ forecasts: ForecastFacts, at now: MonotonicTime
    ) -> [(origin: CommandOrigin, isAnswered: Bool)] {
        let ended = waiting.filter { forecasts.answers > $0.answers || !forecasts.isAsking || now >= $0.endsAt }
        waiting.removeAll { forecasts.answers > $0.answers || !forecasts.isAsking || now >= $0.endsAt }
        return ended.map { ($0.origin, forecasts.answers > $0.answers) }
    }
}

extension CommandRefusal {
    static let noForecast = CommandRefusal(.noAnswer, "no forecast server has answered; the last prediction stays")
}
