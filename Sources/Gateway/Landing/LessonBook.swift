import FlightMath
import ReceiverProtocol

/// The lessons of earlier flights.
struct LessonBook: Equatable, Sendable {
    private static let newest = 20
    private static let fewest = 5
    /// Launches within this distance of each other are from one site, metres.
    private static let siteMetres = 2000.0
    /// So many of the newest lessons are searched for launch sites.
    private static let searched = 100

    /// All lessons, the newest first.
    private var lessons: [Dated<FlightLesson>] { didSet { changed() } }
    /// Grows with each change, so that what was looked up before is looked up again.
    private(set) var revision = 0
    /// Where at least two flights began.
    private(set) var launchPlaces: [Coordinate] = []
    /// The number of lessons that are kept.
    private static let limit = 500

    /// - Parameter lessons: the lessons of earlier runs, the newest first.
    init(_ lessons: [FlightLesson] = []) {
        self.lessons = lessons.prefix(Self.limit).map { Dated(fromElsewhere: $0) }
        changed()
    }

    private mutating func changed() {
        revision += 1
        let launches = lessons.prefix(Self.searched).compactMap(\.original.launch)
        launchPlaces = launches.indices.reduce(into: []) { places, index in
            let launch = launches[index]
            func isNear(_ other: Coordinate) -> Bool { launch.distanceMetres(to: other) <= Self.siteMetres }
            guard !places.contains(where: isNear), launches[(index + 1)...].contains(where: isNear) else { return }
            places.append(launch)
        }
    }

    /// Whether the landing of an earlier flight of this sonde is known.
    func hasLanding(of serial: SondeSerial?) -> Bool {
        serial != nil && lessons.contains { $0.original.serial == serial && $0.original.landing != nil }
    }

    /// Where the newest flight of this sonde with a known landing came down; nil if none is known.
    func landing(of serial: SondeSerial, by clock: RunClock) -> SeenPlace? {
        let own = lessons.lazy.filter { $0.original.serial == serial }.map { $0.value(by: clock) }
        return own.compactMap { lesson in
            lesson.landing.map {
                SeenPlace(
                    coordinate: $0.coordinate, altitudeMetres: $0.altitudeMetres, since: lesson.begunAt, at: lesson.at,
                    isLanding: true)
            }
        }.max { $0.at < $1.at }
    }

    /// A command has deleted all lessons.
    mutating func forgetAll() { lessons = [] }

    /// Adds the lessons of earlier runs.
    mutating func join(_ earlier: [FlightLesson], by clock: RunClock) {
        let known = lessons.map { $0.value(by: clock) }
        let new = earlier.filter { lesson in !known.contains(where: lesson.isOfSameFlight(as:)) }
        lessons = Array((lessons + new.map { Dated(fromElsewhere: $0) }).prefix(Self.limit))
    }

    /// Adds a lesson in place of an earlier one of the same flight.
    /// - Returns: false if the lesson has nothing new, for example when a landed sonde is heard again.
    mutating func add(_ lesson: FlightLesson, by clock: RunClock) -> Bool {
        if let index = lessons.firstIndex(where: { lesson.isOfSameFlight(as: $0.value(by: clock)) }) {
            let known = lessons[index].original
            guard known.landing == nil, lesson.teachesMore(than: known) else { return false }
            lessons.remove(at: index)
        } else if lesson.isEmpty {
            return false
        }
        lessons.insert(Dated(lesson, by: clock), at: 0)
        if lessons.count > Self.limit { lessons.removeLast() }
        return true
    }

    /// The lessons of other flights than this one, which teaches itself nothing.
    func others(than serial: SondeSerial?, during span: FlightSpan, by clock: RunClock) -> LessonBook {
        var others = self
        others.lessons.removeAll { $0.original.serial == serial && $0.value(by: clock).span.isOfSameFlight(as: span) }
        return others
    }

    /// Removes the lesson of a landing that was taken back.
    mutating func removeLesson(of landing: TrackPoint, _ type: SondeType?, by clock: RunClock) {
        lessons.removeAll { lesson in
            lesson.original.sondeType == type ?? .other("")
                && lesson.value(by: clock).isOfLanding(at: landing.time, landing.coordinate)
        }
    }

    /// The median of the last flights of that type that were launched nearby; nil if there are too few.
    func descentRate(of type: SondeType?, from launch: Coordinate?) -> Double? {
        median(of: \.descentRate, type, launch)
    }

    /// The burst altitudes of the last flights of that type that were launched nearby; empty if there are too few.
    func bursts(of type: SondeType?, from launch: Coordinate?) -> [Double] {
        guard let type, let launch else { return [] }
        let values = values(of: \.burstMetres, type, launch)
        return values.count >= Self.fewest ? values : []
    }

    private func median(
        of value: (FlightLesson) -> Double?, _ type: SondeType?, _ launch: Coordinate?
    ) -> Double? {
        guard let type, let launch else { return nil }
        return median(of: value, type, launch).flatMap { $0.isUsed ? $0.value : nil }
    }

    private func median(
        of value: (FlightLesson) -> Double?, _ type: SondeType, _ launch: Coordinate
    ) -> LearnedExpectation.Median? {
        let values = values(of: value, type, launch)
        guard !values.isEmpty else { return nil }
        return LearnedExpectation.Median(
            value: values.median, flights: values.count, isUsed: values.count >= Self.fewest)
    }

    private func values(
        of value: (FlightLesson) -> Double?, _ type: SondeType, _ launch: Coordinate
    ) -> [Double] {
        let near = lessons.lazy.map(\.original).filter { $0.sondeType == type && $0.isLaunched(near: launch) }
        return Array(near.compactMap(value).prefix(Self.newest))
    }

    /// The expectations for each type and launch area, the newest first.
    var expectations: [LearnedExpectation] {
        var found: [LearnedExpectation] = []
        for lesson in lessons.map(\.original) where !lesson.isEmpty {
            guard let launch = lesson.launch,
                !found.contains(where: { $0.sondeType == lesson.sondeType && lesson.isLaunched(near: $0.launch) })
            else { continue }
            found.append(
                LearnedExpectation(
                    sondeType: lesson.sondeType, launch: launch,
                    descentRate: median(of: \.descentRate, lesson.sondeType, launch),
                    burstMetres: median(of: \.burstMetres, lesson.sondeType, launch)))
        }
        return found
    }

    /// The altitude of the newest observed landing nearby, metres above sea level.
    func groundMetres(near place: Coordinate?) -> Double? {
        guard let place else { return nil }
        return lessons.lazy.compactMap(\.original.landing).first { $0.coordinate.isInRegion(of: place) }?.altitudeMetres
    }
}

extension FlightLesson {
    fileprivate func isLaunched(near place: Coordinate) -> Bool {
        launch?.isInRegion(of: place) ?? false
    }

    /// A descent rate that differs by less is the same, m/s.
    private static let sameRate = 0.05

    fileprivate var span: FlightSpan { FlightSpan(since: begunAt, until: at) }

    fileprivate func isOfSameFlight(as other: FlightLesson) -> Bool {
        serial == other.serial && span.isOfSameFlight(as: other.span)
    }

    fileprivate func teachesMore(than other: FlightLesson) -> Bool {
        guard landing == nil, burstMetres == other.burstMetres, let descentRate, let old = other.descentRate else {
            return landing != nil || burstMetres != other.burstMetres || descentRate != other.descentRate
        }
        return abs(descentRate - old) >= Self.sameRate
    }

    fileprivate func isOfLanding(at time: WallTime, _ place: Coordinate) -> Bool {
        let apart = max(at.duration(since: time), time.duration(since: at))
        return apart < .seconds(600) && landing.map { $0.coordinate.distanceMetres(to: place) < 300 } ?? false
    }
}
