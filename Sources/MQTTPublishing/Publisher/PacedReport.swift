import FlightMath
import GatewayReports
import ReceiverProtocol

/// The last published report of a kind that changes a little with every point: the flight, its landing point, the
/// prediction.
///
/// A change that people wait for (the phase, the burst, the source of the landing point) is published at once. Other
/// changes go out every ``spacing``, because ten kilobytes a second tell nobody more. While neither source hears the
/// sonde, the landing point and the prediction are published again every ``renewal``, because they hold their own age.
struct PacedReport: Sendable {
    static let spacing = PredictionReport.spacing
    static let renewal = Duration.seconds(60)
    static let kinds: [Report.Kind] = [.flight, .landing, .prediction]

    private let published: Report
    private let at: MonotonicTime
    /// A newer report waits.
    private var isBehind = false

    init(_ published: Report, at now: MonotonicTime) {
        self.published = published
        at = now
    }

    /// When a newer report may be published, even if little has changed.
    var due: MonotonicTime { at.advanced(by: Self.spacing) }
    /// When to publish without a new report: the newer one that waits, or the same one with its new age. Nil if neither
    /// is needed.
    func deadline(isHeard: Bool) -> MonotonicTime? {
        if isBehind { return due }
        return isHeard ? nil : renewalDue
    }

    /// - Parameter isHeard: false while neither source hears a flying sonde.
    func isDue(at now: MonotonicTime, isHeard: Bool) -> Bool {
        if isBehind { return now >= due }
        return !isHeard && renewalDue.map { now >= $0 } ?? false
    }

    /// When to publish the same report with its new age; nil for a report without one.
    private var renewalDue: MonotonicTime? {
        if case .landing(_?) = published { return at.advanced(by: Self.renewal) }
        if case .prediction(_?) = published { return at.advanced(by: Self.renewal) }
        return nil
    }

    /// - Returns: whether this newer report waits until ``due``.
    mutating func holds(_ report: Report, at now: MonotonicTime) -> Bool {
        guard now < due, report.isLittleElse(than: published) else { return false }
        isBehind = true
        return true
    }
}

extension Report {
    /// Whether only the values differ that change with every point.
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
