import ReceiverProtocol

/// The one command that is out, and until when the kernel may take for its answer.
struct MgmtCall: Equatable, Sendable {
    /// Switching a controller that hangs takes the kernel several rounds of 2 s.
    static let limit = Duration.seconds(12)

    let command: MgmtCommand
    let dueAt: MonotonicTime

    init(_ command: MgmtCommand, at now: MonotonicTime, limit: Duration = Self.limit) {
        self.command = command
        dueAt = now.advanced(by: limit)
    }

    /// The status and data, if this event is the answer.
    func answer(in event: MgmtEvent) -> (MgmtStatus, [UInt8])? {
        guard case .answered(command.opcode, command.index, let status, let data) = event else { return nil }
        return (status, data)
    }
}
