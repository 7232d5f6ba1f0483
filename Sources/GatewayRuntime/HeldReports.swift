import Gateway
import GatewayReports

/// Events, and answers to commands whose setting the store keeps. Each waits until the facts that it tells are safe
/// from a power cut, or until its limit.
struct HeldReports {
    struct Entry {
        fileprivate var report: Report
        /// The publisher already has it.
        var isPublished: Bool

        /// - Parameter isDurable: false if the disk fails or was too slow. An answer then says so.
        func report(isDurable: Bool) -> Report {
            guard !isDurable, case .answer(var report) = report else { return report }
            report.answer.error = CommandRefusal(
                .notStored, "it holds now, but the store does not keep it: a restart may lose it")
            return .answer(report)
        }
    }

    /// Which reports of a turn wait.
    struct Wait {
        private var storesSetting: Bool

        init(for actions: [GatewayAction]) {
            storesSetting = actions.contains { if case .record(.setting) = $0 { true } else { false } }
        }

        func concerns(_ report: Report) -> Bool {
            if case .announcement = report { return true }
            if case .answer(let answer) = report { return storesSetting && answer.answer.status == .done }
            // The other reports tell a state. They promise nothing, so they never wait.
            return false
        }
    }

    /// How long an event waits for a slow disk. People need events soon.
    private static let eventLimit = Duration.seconds(2)
    /// How long an answer waits for a slow disk. The command `send` waits longer for it.
    private static let answerLimit = Duration.seconds(5)
    /// The most reports that wait. Further ones do not wait.
    private static let limit = 500

    private var new: [Entry] = []
    private var waiting: [UInt64: Entry] = [:]
    private var lastID: UInt64 = 0

    mutating func add(_ report: Report, isPublished: Bool) {
        new.append(Entry(report: report, isPublished: isPublished))
    }

    /// Begins the wait of the reports added since the last call.
    mutating func begin() -> [(id: UInt64, limit: Duration)] {
        defer { new.removeAll() }
        return new.map { entry in
            lastID += 1
            waiting[lastID] = entry
            let limit = if case .answer = entry.report { Self.answerLimit } else { Self.eventLimit }
            return (lastID, waiting.count > Self.limit ? .zero : limit)
        }
    }

    mutating func remove(_ id: UInt64) -> Entry? { waiting.removeValue(forKey: id) }

    /// All that wait, in order.
    mutating func removeAll() -> [Entry] {
        defer { (new, waiting) = ([], [:]) }
        return waiting.sorted { $0.key < $1.key }.map(\.value) + new
    }
}
