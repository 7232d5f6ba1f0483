import FlightMath
import GatewayReports
import ReceiverProtocol

/// A report that every point of the flight changes a little, as it was published last: the flight, where it lands, and
/// the prediction.
///
/// What people wait for (the phase, the burst, who says where it lands) is published at once. The rest goes out every
/// ``spacing``, as ten kilobytes a second of it tell nobody more. When nobody hears the sonde any more, the place and the
/// prediction that are kept go out every ``renewal``: nothing but their age says how old they are.
struct PacedReport: Sendable {
    static let spacing = PredictionReport.spacing
    static let renewal = Duration.seconds(60)
    static let kinds: [Report.Kind] = [.flight, .landing, .prediction]

    private let published: Report
    private let at: MonotonicTime
    /// There is a newer one.
    private var isBehind = false

    init(_ published: Report, at now: MonotonicTime) {
        self.published = published
        at = now
    }

    /// When a newer one may be published, whatever is new in it.
    var due: MonotonicTime { at.advanced(by: Self.spacing) }
    /// When it is published again: a newer one if no frame takes it along, the same for its age. Nil while there is
    /// nothing to tell.
    func deadline(isHeard: Bool) -> MonotonicTime? {
        if isBehind { return due.advanced(by: HomeAssistantValues.frameWait) }
        return isHeard ? nil : renewalDue
    }

    /// - Parameter isHeard: false when nobody hears a sonde that flies.
    func isDue(at now: MonotonicTime, isHeard: Bool) -> Bool {
        if isBehind { return now >= due }
        return !isHeard && renewalDue.map { now >= $0 } ?? false
    }

    /// Nil for what has no age.
    private var renewalDue: MonotonicTime? {
        switch published {
        case .landing(_?), .prediction(_?): at.advanced(by: Self.renewal)
        case .landing(nil), .prediction(nil), .position, .radio, .receiverState, .state, .settings, .flight, .proposal,
            .chase, .route, .info, .health, .announcement, .answer:
            nil
        }
    }

    /// - Returns: whether this newer one can wait.
    mutating func holds(_ report: Report, at now: MonotonicTime) -> Bool {
        guard now < due, report.isLittleElse(than: published) else { return false }
        isBehind = true
        return true
    }
}

extension Report {
    /// Nothing is new but what every point changes.
    fileprivate func isLittleElse(than old: Report) -> Bool {
        if case .flight(let new) = self, case .flight(let old) = old {
            return new.serial == old.serial && new.phase == old.phase && new.burst == old.burst
                && new.landed == old.landed && new.hasMoved == old.hasMoved
        }
        if case .landing(let new?) = self, case .landing(let old?) = old {
            return new.serial == old.serial && new.point.source == old.point.source
                && new.point.method == old.point.method && new.score == old.score
        }
        if case .prediction(let new?) = self, case .prediction(let old?) = old {
            let isOther = new.forecast.method != .ownWinds && new.forecast != old.forecast
            return new.serial == old.serial && new.method == old.method && !isOther
                && (new.ownWinds == nil) == (old.ownWinds == nil)
        }
        return false
    }
}
