import FlightMath

/// The time in which one sonde flew. It shows whether two records belong to the same flight: a sonde that was found may
/// be launched again, perhaps on the same day.
///
///     landed at 13:00, first heard at 11:00     the same flight as a burst at 12:00
///     landed at 17:00, first heard at 15:00     another flight than the landing at 13:00
public struct FlightSpan {
    /// Times of one sonde that are further apart belong to two flights.
    public static let longest = Duration.seconds(43_200)

    /// When the flight was first heard; nil if that is unknown.
    var since: WallTime?
    /// When it landed, or was last heard.
    var until: WallTime

    /// Call with the span of the same sonde.
    func isOfSameFlight(as other: FlightSpan) -> Bool {
        guard until <= other.until else { return other.isOfSameFlight(as: self) }
        guard other.until.duration(since: until) < Self.longest else { return false }
        return other.since.map { $0 <= until } ?? true
    }
}
