public import GatewayCore
import Logging
import ReceiverProtocol

// The disk's side of the loop: what the broker has not acknowledged, and what is to be recorded.

/// Everything that the gateway keeps on disk.
public typealias GatewayStore = FlightLog & SpoolStore

extension GatewayLoop {
    mutating func takeAcknowledged(at now: Moment) {
        let keys = inputs.takeAcknowledged()
        if !keys.isEmpty { _ = spool.handle(.acknowledged(keys), at: now.monotonic) }
    }

    mutating func take(_ event: Spool.Event, at now: Moment, _ group: inout DiscardingTaskGroup) {
        for action in spool.handle(event, at: now.monotonic) { perform(action, at: now, &group) }
    }

    private mutating func perform(_ action: Spool.Action, at now: Moment, _ group: inout DiscardingTaskGroup) {
        switch action {
        case .store(let messages):
            let wall = now.isClockSynced ? now.wall : nil
            call(&group) { store throws(StoreError) in .stored(dropped: try await store.append(messages, now: wall)) }
        case .remove(let keys):
            call(&group) { store throws(StoreError) in
                try await store.remove(keys)
                return .removed
            }
        case .load(let key, let limit):
            call(&group) { store throws(StoreError) in .loaded(try await store.messages(after: key, limit: limit)) }
        case .replay(let message):
            var outgoing = OutgoingMessage(topic: message.topic, payload: message.payload)
            outgoing.key = message.key
            if broker.publish(outgoing) != .taken { _ = spool.handle(.replayRefused(message.key), at: now.monotonic) }
        case .report(let failure): note(failure, of: .spool, at: now, &group)
        }
    }

    private func call(
        _ group: inout DiscardingTaskGroup,
        _ body: @escaping @Sendable (any SpoolStore) async throws(StoreError) -> Spool.Event
    ) {
        group.addTask { [inputs, store] in
            do throws(StoreError) {
                await inputs.send(spool: try await body(store))
            } catch {
                await inputs.send(spool: .storeFailed(error))
            }
        }
    }

    mutating func keep(_ message: OutgoingMessage, at now: Moment) {
        guard let spooled = message.spooled(at: now) else { return }
        spool.keep(spooled, at: now.monotonic)
    }

    // MARK: - The record

    mutating func take(_ event: RecordQueue.Event, at now: Moment, _ group: inout DiscardingTaskGroup) {
        for action in recorder.handle(event, at: now.monotonic) {
            switch action {
            case .record(let entries):
                let wall = now.isClockSynced ? now.wall : nil
                group.addTask { [inputs, store] in
                    do throws(StoreError) {
                        try await store.record(entries, now: wall)
                        await inputs.send(recorder: .recorded)
                    } catch {
                        await inputs.send(recorder: .failed(error))
                    }
                }
            case .report(let failure):
                if failure == nil, spool.storeWorks() { note(nil, of: .spool, at: now, &group) }
                note(failure, of: .recorder, at: now, &group)
            }
        }
    }

    mutating func note(
        _ failure: StoreError?, of writer: StoreWatch.Writer, at now: Moment, _ group: inout DiscardingTaskGroup
    ) {
        for news in storeWatch.note(failure, of: writer) { take(.storeChanged(news), at: now, &group) }
    }

    // MARK: - The end

    /// After the last event: whatever is in memory only goes to disk, if that works at all.
    mutating func saveAll() async {
        _ = spool.handle(.sessionEnded, at: inputs.clock.now.monotonic)
        let (unsaved, acknowledged) = (spool.unsaved, spool.acknowledgedOnDisk)
        do throws(StoreError) {
            if !acknowledged.isEmpty { try await store.remove(acknowledged) }
            if !unsaved.isEmpty { _ = try await store.append(unsaved, now: nil) }
            if !recorder.unsaved.isEmpty { try await store.record(recorder.unsaved, now: nil) }
        } catch {
            log.error(
                "what the broker did not take, and the last of the flight, is lost",
                metadata: ["messages": "\(unsaved.count)", "why": "\(error)"])
        }
    }
}

extension OutgoingMessage {
    /// What is kept of it; nil for what has no history.
    func spooled(at now: Moment) -> SpooledMessage? {
        guard let key, let historyTopic else { return nil }
        return SpooledMessage(key: key, topic: historyTopic, payload: payload, at: now.isClockSynced ? now.wall : nil)
    }
}
