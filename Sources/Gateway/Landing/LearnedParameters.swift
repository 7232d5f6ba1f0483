import FlightMath
import ReceiverProtocol

/// The parameters that earlier flights give for the followed one. They are looked up again when the launch site or the
/// type becomes known, when other lessons become known, and when the sonde has come far over other ground.
struct LearnedParameters: Equatable, Sendable {
    /// The ground is looked up again after this distance, metres.
    private static let farMetres = 10_000.0

    /// A balloon that is above all learned bursts is expected to climb by this much, metres.
    private static let furtherClimb = 1500.0

    let descentRate, groundMetres: Double?
    /// The burst altitudes of earlier flights, metres; empty if there are too few.
    private let bursts: [Double]
    private let sondeType: SondeType?
    private let launch: Coordinate
    private let place: Coordinate
    private let revision: Int

    /// - Parameters:
    ///   - serial: the followed sonde, whose own flight teaches it nothing.
    ///   - first: the track's first point.
    ///   - newest: the track's newest point.
    ///   - clock: the present clock.
    init(
        _ book: LessonBook, for serial: SondeSerial?, _ type: SondeType?, from first: TrackPoint, at newest: TrackPoint,
        by clock: RunClock
    ) {
        (sondeType, launch, place) = (type, Self.launch(first), newest.coordinate)
        revision = book.revision
        let span = FlightSpan(since: first.time, until: newest.time)
        let book = book.others(than: serial, during: span, by: clock)
        descentRate = book.descentRate(of: type, from: launch)
        bursts = book.bursts(of: type, from: launch)
        groundMetres = book.groundMetres(near: place)
    }

    /// The median of the bursts above a balloon that has climbed to `metres`; nil if too few flights are known.
    func burstMetres(above metres: Double) -> Double? {
        guard !bursts.isEmpty else { return nil }
        let higher = bursts.filter { $0 > metres }
        return higher.isEmpty ? metres + Self.furtherClimb : higher.median
    }

    /// Whether a new lookup would give the same.
    func isStill(in book: LessonBook, for type: SondeType?, from first: TrackPoint, at newest: TrackPoint) -> Bool {
        let (east, north) = place.offsetMetres(to: newest.coordinate)
        return book.revision == revision && type == sondeType && Self.launch(first) == launch
            && east * east + north * north < Self.farMetres * Self.farMetres
    }

    /// Whether predictions are the same with `other`.
    func predictsAs(_ other: LearnedParameters) -> Bool {
        descentRate == other.descentRate && bursts == other.bursts && groundMetres == other.groundMetres
    }

    /// The place from which flights are compared: where the sonde was first heard, at whatever height.
    static func launch(_ first: TrackPoint) -> Coordinate { first.coordinate }
}
