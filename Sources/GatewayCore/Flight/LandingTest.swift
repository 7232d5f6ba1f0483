import ReceiverProtocol

/// Has the sonde come to rest? Judged over the newest points of its track, several times before it is believed.
struct LandingTest: Equatable, Sendable {
    /// Points that a window needs, and takes at most.
    private static let points = 5...20
    private static let windowSeconds = 60.0
    private static let slowest = 3 / 3.6
    private static let stillVertical = 0.5
    private static let highest = 3000.0
    private static let windows = 4
    private static let landedShare = 0.75
    private static let flyingShare = 0.4
    private static let flyingUpdates = 3

    /// At rest, until it moves again for several updates.
    private(set) var isAtRest = false
    /// The mean place of the window that decided.
    private(set) var place: TrackPoint?
    private var supporting: [Bool] = []
    private var updatesInFlight = 0

    /// Share of supporting windows among the last four, 0-1.
    var confidence: Double {
        Double(supporting.count { $0 }) / Double(Self.windows)
    }

    init() {}

    /// Judges a whole track, as after a gap was filled.
    init(_ points: [TrackPoint]) {
        for end in max(0, points.count - 2 * Self.windows)..<points.count { update(points[...end]) }
    }

    /// Takes a track with its new newest point.
    mutating func update(_ points: ArraySlice<TrackPoint>) {
        guard let last = points.last else { return }
        let window = points.suffix(Self.points.upperBound)
            .drop { last.time.seconds(since: $0.time) > Self.windowSeconds }
        guard let first = window.first, window.count >= Self.points.lowerBound else { return }
        let seconds = last.time.seconds(since: first.time)
        guard seconds > 0 else { return }
        let isSlow = first.coordinate.distanceMetres(to: last.coordinate) / seconds < Self.slowest
        let isLevel = abs(last.altitudeMetres - first.altitudeMetres) / seconds <= Self.stillVertical
        supporting.append(isSlow && isLevel && last.altitudeMetres < Self.highest)
        if supporting.count > Self.windows { supporting.removeFirst() }
        if confidence >= Self.landedShare {
            if !isAtRest || place == nil { place = Self.mean(window) }
            isAtRest = true
            updatesInFlight = 0
        } else if confidence < Self.flyingShare {
            updatesInFlight += 1
            if updatesInFlight >= Self.flyingUpdates { isAtRest = false }
        } else {
            updatesInFlight = 0
        }
    }

    private static func mean(_ window: ArraySlice<TrackPoint>) -> TrackPoint? {
        guard var place = window.last else { return nil }
        let count = Double(window.count)
        place.coordinate = Coordinate(
            latitude: window.map(\.coordinate.latitude).reduce(0, +) / count,
            longitude: window.map(\.coordinate.longitude).reduce(0, +) / count)
        place.altitudeMetres = window.map(\.altitudeMetres).reduce(0, +) / count
        return place
    }
}
