import FlightMath
import ReceiverProtocol

/// What earlier flights teach of the one that is followed: looked up anew when more is known of its launch or its type,
/// and for the ground when it has come far.
struct LearnedParameters: Equatable, Sendable {
    /// Lookups for the ground below are at least so far apart, metres.
    private static let farMetres = 10_000.0

    let descentRate, burstMetres, groundMetres: Double?
    let radiusFactor: Double
    private let sondeType: SondeType?
    private let launch: Coordinate?
    private let place: Coordinate

    /// - Parameters:
    ///   - first: of its track.
    ///   - newest: where it is.
    init(_ book: LessonBook, for type: SondeType?, from first: TrackPoint, at newest: TrackPoint) {
        (sondeType, launch, place) = (type, Self.launch(first), newest.coordinate)
        descentRate = book.descentRate(of: type, from: launch)
        burstMetres = book.burstMetres(of: type, from: launch)
        groundMetres = book.groundMetres(near: place)
        radiusFactor = book.radiusFactor
    }

    /// A lookup would say the same.
    func isStill(for type: SondeType?, from first: TrackPoint, at newest: TrackPoint) -> Bool {
        let (east, north) = place.offsetMetres(to: newest.coordinate)
        return type == sondeType && Self.launch(first) == launch
            && east * east + north * north < Self.farMetres * Self.farMetres
    }

    /// Where it was launched; nil when a track begins too high for that.
    static func launch(_ first: TrackPoint) -> Coordinate? {
        first.mayBeLaunch ? first.coordinate : nil
    }
}
