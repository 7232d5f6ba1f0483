import GatewayReports
import ReceiverProtocol

/// Decides which losses and returns of the receiver are said. With a weak battery it restarts every few seconds, and a
/// crew would switch off a voice that says each.
///
///     lost, back                    said
///     lost again within 2 min       "The receiver keeps restarting. Check its battery.", then nothing; over a cable or
///                                   the network "The connection to the receiver keeps breaking. …"
///     three boot texts in 2 min     "The receiver keeps restarting. Check its power supply and its cable.", then nothing
///     60 s without a change         from now on said again; if the receiver is away, its loss
struct RestartWatch: Equatable, Sendable {
    /// This many changes within ``window`` are restarts.
    private static let limit = 3
    private static let window = Duration.seconds(120)
    private static let calm = Duration.seconds(60)

    enum Verdict: Equatable {
        case said
        /// The advice is said in place of the change.
        case advised
        case unsaid
    }

    /// The newest changes, oldest first. The first return of a run is none.
    private var changes: [MonotonicTime] = []
    private var isRestless = false
    /// The newest start of the chip by its text; nil if there is none in this run of changes.
    private var bootedAt: MonotonicTime?
    /// The chip's start sends several texts; they come within this time.
    private static let oneBoot = Duration.seconds(1)

    /// The receiver itself has said that it restarts: its cable and the network are not the cause.
    var hasBootText: Bool { bootedAt != nil }
    /// Why the receiver is away; nil while it is there.
    private var loss: LinkLoss?

    /// When the restarts are over, if nothing changes before.
    var deadline: MonotonicTime? { isRestless ? changes.last?.advanced(by: Self.calm) : nil }

    /// - Parameter loss: nil if the receiver is back.
    mutating func changed(_ loss: LinkLoss?, at now: MonotonicTime) -> Verdict {
        self.loss = loss
        guard loss != nil || !changes.isEmpty else { return .said }
        return changed(at: now)
    }

    /// A text of the chip's start came over the cable.
    /// - Returns: nil if it belongs to a start that is known.
    mutating func booted(at now: MonotonicTime) -> Verdict? {
        if let bootedAt, now.duration(since: bootedAt) < Self.oneBoot { return nil }
        bootedAt = now
        return changed(at: now)
    }

    private mutating func changed(at now: MonotonicTime) -> Verdict {
        changes.removeAll { now.duration(since: $0) > Self.window }
        changes = changes.suffix(Self.limit - 1) + [now]
        guard !isRestless else { return .unsaid }
        isRestless = changes.count == Self.limit
        return isRestless ? .advised : .said
    }

    /// - Returns: the loss to say now, because the receiver has stayed away since its last restart; otherwise nil.
    mutating func timePassed(_ now: MonotonicTime) -> LinkLoss? {
        guard let deadline, now >= deadline else { return nil }
        (isRestless, changes, bootedAt) = (false, [], nil)
        return loss
    }
}
