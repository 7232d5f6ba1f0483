import FlightMath
import GatewayReports
import ReceiverProtocol

/// The hunt for a sonde that is heard and says no place: how strong it is, from where, and where these bearings cross.
struct SignalHunt: Sendable {
    /// A place that the sonde itself has said is better than its bearings, up to this age.
    static let placeIsBetter = Duration.seconds(600)
    /// A direction finder sends many bearings; one is used in this time.
    private static let finderSpacing = Duration.seconds(10)

    private var meters = SignalMeters()
    private var samples = SampleLog()
    private(set) var book = BearingBook()
    /// Where the bearings of the followed sonde cross; nil without enough of them.
    private(set) var estimate: BearingEstimate?
    private var estimatedAt: Moment?
    /// The sonde and the bearings of ``estimate``.
    private var estimated: (serial: SondeSerial?, version: Int)?
    private var serial: SondeSerial?
    private var finderAt: MonotonicTime?
    /// The estimate is the best place that is known.
    private var isInForce = false
    /// When the sonde's own place is too old to be better.
    private(set) var deadline: MonotonicTime?

    var facts: SignalFacts {
        guard isInForce, let estimate, let estimatedAt else { return SignalFacts(heard: meters.signals) }
        return SignalFacts(heard: meters.signals, estimate: EstimatedPlace(estimate: estimate, at: estimatedAt))
    }

    // MARK: - The receiver's frames

    /// - Parameters:
    ///   - followed: the followed sonde, to which the bearings belong.
    ///   - place: the receiver's; nil if nobody knows it.
    mutating func hear(_ heard: HeardFrame, followed: SondeSerial?, from place: Coordinate?, _ turn: inout Turn) {
        samples.hear(heard, followed: followed, from: place, &turn)
        guard var report = meters.hear(heard, car: turn.car, isLast: !turn.moreFollows) else { return }
        // A sonde that says no place is not followed, so its bearings belong to a signal without a name.
        if report.serial == nil || followed == nil || report.serial == followed { report.estimate = estimate }
        turn.report(.signal(report))
    }

    // MARK: - Bearings

    /// - Parameter serial: of the followed sonde.
    /// - Returns: the bearing with its number.
    /// - Throws: if the receiver hears another sonde, or if the bearing needs something of the car that nobody knows.
    mutating func take(
        _ given: HeardBearing, errorDegrees: Double = Bearing.usualErrorDegrees, by source: BearingsReport.Source,
        of serial: SondeSerial?, _ turn: inout Turn
    ) throws(CommandRefusal) -> (number: Int, bearing: Bearing) {
        if let serial, let other = meters.signals.other(than: serial, at: turn.now.monotonic) {
            throw CommandRefusal(
                .unavailable,
                "the receiver hears \(other.canonical), but the gateway follows \(serial.canonical); "
                    + "hunt \(other.canonical) first")
        }
        let bearing = try Bearing(
            given, errorDegrees: errorDegrees, by: source, car: turn.car, at: turn.now.monotonic)
        let number = book.add(
            StoredBearing(
                serial: serial, number: 0, place: bearing.place, degrees: bearing.degrees,
                errorDegrees: bearing.errorDegrees, source: source, at: turn.now.wall), by: turn.clock)
        store(&turn)
        return (number, bearing)
    }

    /// A bearing of a direction finder. It is left out where a command would be refused.
    mutating func hear(_ heard: HeardBearing, of serial: SondeSerial?, _ turn: inout Turn) {
        let now = turn.now.monotonic
        guard finderAt.map({ now.duration(since: $0) >= Self.finderSpacing }) ?? true,
            (try? take(heard, by: .horus, of: serial, &turn)) != nil
        else { return }
        finderAt = now
    }

    /// - Parameter number: nil for all bearings of the sonde.
    /// - Returns: whether there was a bearing.
    mutating func forget(_ number: Int?, of serial: SondeSerial?, _ turn: inout Turn) -> Bool {
        let isFound = number.map { book.remove($0, of: serial) } ?? (book.removeAll(of: serial) > 0)
        if isFound { store(&turn) }
        return isFound
    }

    mutating func recall(_ stored: StoredBearings?, isChanged: Bool, _ turn: inout Turn) {
        guard let stored else { return }
        book.join(stored, since: turn.now.wall.advanced(by: .zero - FlightSpan.longest))
        if isChanged { store(&turn) }
    }

    /// Stores this run's bearings again after the clock was set.
    /// - Parameter lastClock: the clock before.
    func storeAgain(ifMovedFrom lastClock: RunClock, _ turn: inout Turn) {
        if book.isMoved(from: lastClock, to: turn.clock) { store(&turn) }
    }

    private func store(_ turn: inout Turn) { turn.store(book.stored(by: turn.clock), as: .bearings) }

    // MARK: - What follows from the facts

    mutating func follow(_ facts: Facts, _ turn: inout Turn) {
        serial = facts.sonde.serial
        if facts.receiver.link == .notConnected { meters.linkClosed() }
        // Somebody took bearings of a carrier, and now the receiver decodes it.
        if let serial, facts.sonde.receivedAt != nil {
            let oldest = turn.now.wall.advanced(by: .zero - Silence.lost.begins)
            if book.name(serial, since: oldest, by: turn.clock) { store(&turn) }
        }
        if estimated.map({ $0.serial != serial || $0.version != book.version }) ?? true { makeEstimate(turn) }
        estimatedAt = estimatedAt.map { turn.clock.corrected($0) }
        let better = facts.sonde.newestPoint.map { turn.now.wall.duration(since: $0.time) }.map {
            Self.placeIsBetter - $0
        }
        isInForce = estimate != nil && better.map { $0 <= .zero } ?? true
        deadline = estimate == nil || isInForce ? nil : better.map { turn.now.monotonic.advanced(by: $0) }
    }

    private mutating func makeEstimate(_ turn: Turn) {
        let bearings = book.bearings(of: serial, by: turn.clock)
        estimate = BearingEstimate(bearings.map(\.bearing))
        estimatedAt = bearings.last.map { turn.now.earlier(at: $0.at) }
        estimated = (serial, book.version)
    }

    /// Nil without bearings.
    func report(by clock: RunClock) -> BearingsReport? {
        let bearings = book.bearings(of: serial, by: clock)
        guard !bearings.isEmpty else { return nil }
        return BearingsReport(
            serial: serial,
            bearings: bearings.enumerated().map { index, stored in
                BearingsReport.Entry(
                    id: String(stored.number), bearing: stored.bearing, source: stored.source, at: stored.at,
                    isUsed: estimate.map { $0.isUsed.indices.contains(index) && $0.isUsed[index] })
            }, estimate: estimate)
    }
}

/// A place by bearings, and when the last of them was taken.
struct EstimatedPlace: Equatable, Sendable {
    var estimate: BearingEstimate
    var at: Moment
}
