public import FlightMath
public import GatewayReports
public import ReceiverProtocol

/// The clock of the services. Tests use their own.
public protocol GatewayClock: Sendable {
    var now: Moment { get }
    /// Returns at `deadline`, or earlier if the task is cancelled.
    func sleep(until deadline: MonotonicTime) async
}

/// The clock of a source that controls the time: a simulated flight or a recording.
public protocol SourceClock: GatewayClock {
    /// Stops the clock when it reaches `instant`, until the next call. Nil lets it run.
    ///
    /// If a busy machine delays the source, the gateway's time waits for it. Otherwise the gateway would take the delay
    /// for a silent receiver.
    func hold(at instant: MonotonicTime?)
}

extension SourceClock {
    /// Sleeps until the source's next bytes are due, and holds the gateway's time there until they are read.
    /// - Throws: if the task is cancelled.
    public func wait(untilDue due: MonotonicTime) async throws(TransportError) {
        // Hold half a second later, so that the usual wake-up delay doesn't slow the clock down.
        hold(at: due.advanced(by: .milliseconds(500)))
        await sleep(until: due)
        guard Task.isCancelled else { return }
        hold(at: nil)
        throw TransportError(.cancelled, "cancelled")
    }
}
