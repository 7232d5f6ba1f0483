import FlightMath
import GatewayReports
import ReceiverProtocol

/// The signals on the receiver's frequency: one meter for each sonde, because two may transmit in turn.
///
///     frame                                    counts for
///     with a name                              that sonde
///     without, up to 3 min after a name        the sonde that was named last: most often it can't be decoded just now
///     without, later                           a signal without a name
///     on another frequency                     all begins anew
struct SignalMeters: Sendable {
    /// The most sondes. The one that was not heard for the longest is dropped.
    static let limit = 4
    /// A name counts for the frames without one that follow it so soon.
    private static let nameLasts = Duration.seconds(180)
    /// Frames that come faster give no more reports; the receiver sends one a second.
    private static let spacing = Duration.milliseconds(800)

    private var meters: [(serial: SondeSerial?, meter: SignalMeter)] = []
    /// What the open link has heard; the newest last.
    private(set) var signals: [HeardSignal] = []
    private var frequencyMHz: Double?
    private var named: (serial: SondeSerial, at: MonotonicTime)?
    private var reported: (serial: SondeSerial?, at: MonotonicTime)?

    /// - Returns: the report of a frame that gives one; without an estimate.
    mutating func hear(_ heard: HeardFrame, car: CarPosition?, isLast: Bool) -> SignalReport? {
        if heard.frame.frequencyMHz != frequencyMHz { (meters, signals, named) = ([], [], nil) }
        frequencyMHz = heard.frame.frequencyMHz
        let now = heard.at.monotonic
        if let serial = heard.serial { named = (serial, now) }
        let serial = named.flatMap { now.duration(since: $0.at) < Self.nameLasts ? $0.serial : nil }
        note(heard, as: serial)
        guard let dBm = heard.frame.rssiDBm else { return nil }
        let isDriving = car?.speed.map { $0 >= CarPosition.slowest } ?? false
        var meter = meters.first { $0.serial == serial }?.meter ?? SignalMeter()
        meter.add(dBm, isDriving: isDriving, at: now)
        meters.removeAll { $0.serial == serial }
        meters.append((serial, meter))
        if meters.count > Self.limit { meters.removeFirst() }
        let isSoon = reported.map { $0.serial == serial && now.duration(since: $0.at) < Self.spacing } ?? false
        guard isLast, !isSoon, let mean = meter.mean, let peak = meter.peak else { return nil }
        reported = (serial, now)
        return SignalReport(
            serial: serial, rssiDBm: dBm, meanDBm: mean, peakDBm: peak, trend: car == nil ? nil : meter.trend,
            heardAt: heard.at, estimate: nil)
    }

    /// A receiver without a link hears nothing. The strengths and the last name outlast a short loss of the link.
    mutating func linkClosed() { signals = [] }

    private mutating func note(_ heard: HeardFrame, as serial: SondeSerial?) {
        let now = heard.at.monotonic
        let last = signals.first { $0.serial == serial }?.placelessAt
        let placelessAt = heard.frame.kind == .noSonde ? last : heard.position == nil ? now : nil
        signals.removeAll { $0.serial == serial }
        signals.append(HeardSignal(serial: serial, heardAt: now, placelessAt: placelessAt))
        if signals.count > Self.limit { signals.removeFirst() }
    }
}
