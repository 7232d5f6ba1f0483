import FlightMath
import ReceiverProtocol

/// What earlier flights teach about one that begins (specification 3.5, 3.7).
struct LessonBook: Equatable, Sendable {
    private static let nearMetres = 50_000.0
    private static let newest = 20
    private static let fewest = 3
    /// Radii are scaled from so many judged flights on, and within these factors.
    private static let fewestToScale = 20
    private static let factors = 0.5...3.0

    /// The newest first.
    private var lessons: [FlightLesson]
    /// More would not be looked at.
    private static let limit = 500

    init(_ lessons: [FlightLesson] = []) {
        self.lessons = Array(lessons.prefix(Self.limit))
    }

    /// Adds what earlier runs have learned.
    mutating func join(_ earlier: [FlightLesson]) {
        let new = earlier.filter { lesson in !lessons.contains(where: lesson.isOfSameLanding) }
        lessons = Array((lessons + new).prefix(Self.limit))
    }

    /// - Returns: false when it is known: a sonde that lies there is heard again after another one, or by SondeHub.
    mutating func add(_ lesson: FlightLesson) -> Bool {
        guard !lessons.contains(where: lesson.isOfSameLanding) else { return false }
        lessons.insert(lesson, at: 0)
        if lessons.count > Self.limit { lessons.removeLast() }
        return true
    }

    /// Of the last flights of that type launched near there; nil of too few.
    func descentRate(of type: SondeType?, from launch: Coordinate?) -> Double? {
        median(of: \.descentRate, type, launch)
    }

    func burstMetres(of type: SondeType?, from launch: Coordinate?) -> Double? {
        median(of: \.burstMetres, type, launch)
    }

    private func median(
        of value: (FlightLesson) -> Double?, _ type: SondeType?, _ launch: Coordinate?
    ) -> Double? {
        guard let type, let launch else { return nil }
        let values = lessons.lazy.filter { lesson in
            lesson.sondeType == type
                && lesson.launch.map { $0.distanceMetres(to: launch) <= Self.nearMetres } ?? false
        }.compactMap(value).prefix(Self.newest)
        return values.count >= Self.fewest ? Array(values).median : nil
    }

    /// The altitude of the newest landing that was seen near there, metres above sea level.
    func groundMetres(near place: Coordinate?) -> Double? {
        guard let place else { return nil }
        return lessons.first { $0.landing.distanceMetres(to: place) <= Self.nearMetres }?.landingAltitudeMetres
    }

    /// By which both radii are multiplied: the 90th percentile of how far off the predictions were.
    var radiusFactor: Double {
        let ratios = lessons.compactMap(\.worstRatio).sorted()
        guard ratios.count >= Self.fewestToScale else { return 1 }
        let ratio = ratios[min(ratios.count - 1, ratios.count * 9 / 10)]
        return min(Self.factors.upperBound, max(Self.factors.lowerBound, ratio))
    }
}

extension FlightLesson {
    /// By time and place, as exactly as a gap that is filled later leaves them.
    fileprivate func isOfSameLanding(_ other: FlightLesson) -> Bool {
        let apart = max(landedAt.duration(since: other.landedAt), other.landedAt.duration(since: landedAt))
        return sondeType == other.sondeType && apart < .seconds(600)
            && landing.distanceMetres(to: other.landing) < 300
    }
}
