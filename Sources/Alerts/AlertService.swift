public import FlightMath
public import Gateway
public import GatewayReports
public import Logging
import ReceiverProtocol
public import ServiceLifecycle
import Synchronization

/// Sends events to other services: one request for each event and target.
///
/// ``handle(_:at:)`` only stores. Each target has its own task, so a slow one delays no other. The alerts that wait are
/// saved once a second after a change, on Swift's shared pool.
public final class AlertService: ReportFeed, Service {
    private struct State {
        var facts: AlertFacts
        var queues: [AlertQueue]
        var lastID = 0
        /// The file does not hold the queues' newest state.
        var isUnsaved = false
    }

    private let targets: [AlertTarget]
    /// The targets' names in the file.
    private let keys: [String]
    private let file: AlertFile
    private let sender: any AlertSender
    private let clock: any GatewayClock
    private let second: Duration
    private let log: Logger
    private let state: Mutex<State>

    /// - Parameters:
    ///   - path: the file of the alerts that wait.
    ///   - home: the station, which stands for the car while the car's position is unknown.
    ///   - second: the time between two looks at the queues. Tests shorten it.
    ///   - retry: the pauses before an alert is sent again; nil for the usual ones.
    public init(
        _ targets: [AlertTarget], path: String, home: Coordinate?, sender: any AlertSender, clock: any GatewayClock,
        second: Duration = .seconds(1), retry: RetryPauses? = nil, log: Logger
    ) {
        self.targets = targets
        keys = Self.keys(of: targets)
        file = AlertFile(path: path)
        self.sender = sender
        self.clock = clock
        self.second = second
        self.log = log
        state = Mutex(
            State(
                facts: AlertFacts(home: home),
                queues: targets.map {
                    AlertQueue(mostPerHour: $0.mostPerHour, retry: retry ?? AlertQueue.retry)
                }))
    }

    public var counts: [FeedCounts] {
        state.withLock { state in
            [
                FeedCounts(
                    name: "alerts", messages: state.queues.map(\.sent).reduce(0, +),
                    drops: state.queues.map(\.dropped).reduce(0, +))
            ]
        }
    }

    public func handle(_ report: Report, at now: Moment) {
        let notes = state.withLock { state -> [(Int, AlertQueue.Note)] in
            state.facts.update(with: report)
            guard case .announcement(let told) = report else { return [] }
            let distance = state.facts.distance(of: told.announcement)
            return targets.indices.filter { targets[$0].wants(told, distance: distance) }.compactMap { index in
                state.lastID += 1
                state.isUnsaved = true
                let id = "\(told.at.wall.millisecondsSince1970)-\(state.lastID)"
                let message = state.facts.message(for: told, id: id)
                return state.queues[index].add(message, at: now.monotonic).map { (index, $0) }
            }
        }
        for (index, note) in notes { tell(note, of: index) }
    }

    public func run() async throws {
        await withTaskExecutorPreference(globalConcurrentExecutor) {
            restore()
            await cancelWhenGracefulShutdown {
                await withTaskGroup(of: Void.self) { group in
                    for index in self.targets.indices { group.addTask { await self.serve(index) } }
                    group.addTask { await self.keepFile() }
                }
            }
            save()
        }
    }

    // MARK: - Sending

    private func serve(_ index: Int) async {
        while !Task.isCancelled {
            let now = clock.now.monotonic
            guard let message = state.withLock({ $0.queues[index].next(at: now) }) else {
                await clock.sleep(until: now.advanced(by: second))
                continue
            }
            let note: AlertQueue.Note?
            do throws(OnlineServiceError) {
                try await sender.send(targets[index].request(for: message))
                note = settle(index) { $0.delivered(message) }
            } catch {
                // A stop is no fault: the alert is sent after the next start.
                guard !Task.isCancelled else { return }
                let now = clock.now.monotonic
                note = settle(index) { $0.failed(message, error, at: now) }
            }
            if let note { tell(note, of: index) }
        }
    }

    private func settle(_ index: Int, _ change: (inout AlertQueue) -> AlertQueue.Note?) -> AlertQueue.Note? {
        state.withLock { state in
            state.isUnsaved = true
            return change(&state.queues[index])
        }
    }

    /// The address may hold a secret, so the log names the host only. A server may repeat the secret in its answer.
    private func tell(_ note: AlertQueue.Note, of index: Int) {
        let target: Logger.MetadataValue = "\(targets[index].host)"
        func why(_ error: OnlineServiceError) -> Logger.MetadataValue {
            "\(targets[index].secret.map { error.detail.replacing($0, with: "…") } ?? error.detail)"
        }
        switch note {
        case .failing(let error):
            log.warning(
                "an alert is not delivered; trying again for an hour", metadata: ["to": target, "why": why(error)])
        case .refused(let error):
            log.warning("an alert was refused and is dropped", metadata: ["to": target, "why": why(error)])
        case .works: log.notice("alerts are delivered again", metadata: ["to": target])
        case .tooMany:
            log.warning(
                "more alerts than max_per_hour; the further ones are dropped",
                metadata: ["to": target, "max_per_hour": "\(targets[index].mostPerHour)"])
        }
    }

    // MARK: - The file

    /// The names of the targets in the file. Of several entries with one destination the later ones have a number.
    private static func keys(of targets: [AlertTarget]) -> [String] {
        var seen: [String: Int] = [:]
        return targets.map { target in
            seen[target.identity, default: 0] += 1
            let number = seen[target.identity] ?? 1
            return number == 1 ? target.identity : "\(target.identity) \(number)"
        }
    }

    /// Resumes what waits for a destination that an entry still names, and that the entry still wants. The rest leaves
    /// the file with the next save.
    private func restore() {
        let saved = file.load()
        let now = clock.now
        state.withLock { state in
            for index in targets.indices {
                guard var record = saved[keys[index]] else { continue }
                let wanted = Set(targets[index].events.map(\.rawValue))
                record.waiting.removeAll { !wanted.contains($0.event) }
                state.queues[index].restore(record, at: now)
            }
            if !saved.isEmpty { state.isUnsaved = true }
        }
    }

    private func keepFile() async {
        while !Task.isCancelled {
            await clock.sleep(until: clock.now.monotonic.advanced(by: second))
            save()
        }
    }

    private func save() {
        let now = clock.now
        let records = state.withLock { state -> [String: AlertRecord]? in
            guard state.isUnsaved else { return nil }
            state.isUnsaved = false
            let all = targets.indices.map { (keys[$0], state.queues[$0].record(at: now)) }
            return Dictionary(uniqueKeysWithValues: all.filter { !$0.1.isEmpty })
        }
        guard let records else { return }
        do {
            try file.save(records)
        } catch {
            log.warning("the waiting alerts can't be saved", metadata: ["file": "\(file.path)"])
        }
    }
}
