import ReceiverProtocol

/// Tawhiri's answers, by where and when was asked: what was asked a moment ago a kilometre away is not asked again.
struct TawhiriCache: Equatable, Sendable {
    private static let limit = 100
    private static let life = Duration.seconds(300)

    private struct Key: Hashable {
        var latitude, longitude, altitude, bucket: Int

        init?(_ query: TawhiriQuery, at now: Moment) {
            guard let latitude = Int(exactly: (query.launch.latitude * 100).rounded()),
                let longitude = Int(exactly: (query.launch.longitude * 100).rounded()),
                let altitude = Int(exactly: (query.launchAltitudeMetres / 1000).rounded(.down))
            else { return nil }
            (self.latitude, self.longitude, self.altitude) = (latitude, longitude, altitude)
            bucket = Int(now.wall.wholeSeconds / 300)
        }
    }

    private var answers: [Key: (answer: OnlinePrediction, at: MonotonicTime)] = [:]

    func answer(to query: TawhiriQuery, at now: Moment) -> OnlinePrediction? {
        guard let key = Key(query, at: now), let known = answers[key],
            now.monotonic < known.at.advanced(by: Self.life)
        else { return nil }
        return known.answer
    }

    mutating func remember(_ answer: OnlinePrediction, for query: TawhiriQuery, at now: Moment) {
        guard let key = Key(query, at: now) else { return }
        answers[key] = (answer, now.monotonic)
        guard answers.count > Self.limit, let oldest = answers.min(by: { $0.value.at < $1.value.at }) else { return }
        answers[oldest.key] = nil
    }

    static func == (left: TawhiriCache, right: TawhiriCache) -> Bool {
        left.answers.mapValues(\.at) == right.answers.mapValues(\.at)
    }
}
