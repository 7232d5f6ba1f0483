import FlightMath
import ReceiverProtocol

/// The parameters that earlier flights give for the followed one. They are looked up again when the launch site or the
/// type becomes known, when other lessons become known, and when the sonde has come far over other ground.
struct LearnedParameters: Equatable, Sendable {
    /// The ground is looked up again after this distance, metres.
    private static let farMetres = 10_000.0

    let descentRate, burstMetres, groundMetres: Double?
    private let sondeType: SondeType?
    private let launch: Coordinate?
    private let place: Coordinate
    private let revision: Int

    /// - Parameters:
    ///   - serial: the followed sonde, whose own flight teaches it nothing.
    ///   - first: the track's first point.
    ///   - newest: the track's newest point.
    init(
        _ book: LessonBook, for serial: SondeSerial?, _ type: SondeType?, from first: TrackPoint, at newest: TrackPoint
    ) {
        (sondeType, launch, place) = (type, Self.launch(first), newest.coordinate)
        revision = book.revision
        let book = book.others(than: serial, during: FlightSpan(since: first.time, until: newest.time))
        descentRate = book.descentRate(of: type, from: launch)
        burstMetres = book.burstMetres(of: type, from: launch)
        groundMetres = book.groundMetres(near: place)
    }

    /// Whether a new lookup would give the same.
    func isStill(in book: LessonBook, for type: SondeType?, from first: TrackPoint, at newest: TrackPoint) -> Bool {
        let (east, north) = place.offsetMetres(to: newest.coordinate)
        return book.revision == revision && type == sondeType && Self.launch(first) == launch
            && east * east + north * north < Self.farMetres * Self.farMetres
    }

    /// Whether predictions are the same with `other`.
    func predictsAs(_ other: LearnedParameters) -> Bool {
        descentRate == other.descentRate && burstMetres == other.burstMetres && groundMetres == other.groundMetres
    }

    /// The launch site; nil if the track begins too high.
    static func launch(_ first: TrackPoint) -> Coordinate? {
        first.mayBeLaunch ? first.coordinate : nil
    }
}
