import FlightMath
import ReceiverProtocol

/// Finds positions that were sent before: receivers in jammed places and uploaders repeat the last one as new, while
/// the sonde moves on. A resting sonde also stays in one place, but reports no speed.
struct RepeatFilter: Equatable, Sendable {
    /// Several uploaders may take turns, and only one of them repeats. The position that was used longest ago is
    /// forgotten.
    private static let remembered = 32

    private struct Place: Equatable {
        var coordinate: Coordinate
        var altitudeMetres: Double
    }

    private var places: [Place] = []

    mutating func isRepeat(_ position: Position) -> Bool {
        isRepeat(
            position.coordinate, position.altitudeMetres, horizontalSpeed: position.horizontalSpeed,
            verticalSpeed: position.verticalSpeed)
    }

    mutating func isRepeat(_ record: SondeHubRecord) -> Bool {
        isRepeat(
            record.coordinate, record.altitudeMetres, horizontalSpeed: record.horizontalSpeed,
            verticalSpeed: record.verticalSpeed)
    }

    /// Remembers the place.
    /// - Returns: whether the place was known, although the sonde reports that it moves.
    mutating func isRepeat(
        _ coordinate: Coordinate, _ altitudeMetres: Double, horizontalSpeed: Double?, verticalSpeed: Double?
    ) -> Bool {
        let place = Place(coordinate: coordinate, altitudeMetres: altitudeMetres)
        let known = places.lastIndex(of: place)
        if let known { places.remove(at: known) }
        places.append(place)
        if places.count > Self.remembered { places.removeFirst() }
        // A sonde at rest may really be in the same place.
        return known != nil && !Resting.includes(horizontal: horizontalSpeed ?? 0, vertical: verticalSpeed ?? 0)
    }
}
