import FlightMath
import ReceiverProtocol

/// Tawhiri's answers by the place and time of the request, so that a similar request within five minutes is not sent
/// again. A cached answer keeps its age, and an answer from before the burst does not serve after it.
struct TawhiriCache: Equatable, Sendable {
    private static let limit = 100
    private static let life = Duration.seconds(300)

    private struct Key: Hashable {
        var latitude, longitude, altitude, bucket: Int
        /// The requested burst altitude and descent rate (mm/s), which a command can change. After the burst both are 0,
        /// because they follow the flight.
        var burst, descent: Int
        var isBeforeBurst: Bool

        init?(_ query: TawhiriQuery, isBeforeBurst: Bool, at now: Moment) {
            guard let latitude = Int(exactly: (query.launch.latitude * 100).rounded()),
                let longitude = Int(exactly: (query.launch.longitude * 100).rounded()),
                let altitude = Int(exactly: (query.launchAltitudeMetres / 1000).rounded(.down)),
                let burst = Int(exactly: query.burstAltitudeMetres.rounded()),
                let descent = Int(exactly: (query.descentRate * 1000).rounded())
            else { return nil }
            (self.latitude, self.longitude, self.altitude) = (latitude, longitude, altitude)
            bucket = Int(now.wall.wholeSeconds / 300)
            (self.burst, self.descent) = isBeforeBurst ? (burst, descent) : (0, 0)
            self.isBeforeBurst = isBeforeBurst
        }
    }

    private var answers: [Key: Forecast] = [:]

    func answer(to query: TawhiriQuery, isBeforeBurst: Bool, at now: Moment) -> Forecast? {
        guard let key = Key(query, isBeforeBurst: isBeforeBurst, at: now), let known = answers[key],
            now.duration(since: known.computedAt) < Self.life
        else { return nil }
        return known
    }

    mutating func remember(_ answer: Forecast, to query: TawhiriQuery) {
        guard let key = Key(query, isBeforeBurst: answer.isBeforeBurst, at: answer.computedAt) else { return }
        answers[key] = answer
        guard answers.count > Self.limit,
            let oldest = answers.min(by: { $0.value.computedAt.monotonic < $1.value.computedAt.monotonic })
        else { return }
        answers[oldest.key] = nil
    }
}
