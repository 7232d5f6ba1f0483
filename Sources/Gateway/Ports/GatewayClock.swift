public import FlightMath
public import GatewayReports
public import ReceiverProtocol

/// Where the services get the time from; tests bring their own.
public protocol GatewayClock: Sendable {
    var now: Moment { get }
    /// Returns at `deadline`, or when the task is cancelled.
    func sleep(until deadline: MonotonicTime) async
}

/// The clock of a source that makes its own time: a simulated flight, a recording.
public protocol SourceClock: GatewayClock {
    /// Time stands still at `instant` until the next call; nil lets it run.
    ///
    /// A source that is late, because the machine is, holds the gateway's time back: a busy machine must not turn into
    /// a silent receiver.
    func hold(at instant: MonotonicTime?)
}

extension SourceClock {
    /// Sleeps until the source's next bytes are due, with the gateway's time held there until they are taken.
    /// - Throws: that the task was cancelled.
    public func wait(untilDue due: MonotonicTime) async throws(TransportError) {
        // Half a second of room, so that the usual delay of a wake-up doesn't slow the clock down.
        hold(at: due.advanced(by: .milliseconds(500)))
        await sleep(until: due)
        guard Task.isCancelled else { return }
        hold(at: nil)
        throw TransportError(.cancelled, "cancelled")
    }
}
