import ReceiverProtocol

/// The mgmt command in flight, and the deadline for its answer.
struct MgmtCall: Equatable, Sendable {
    /// The default deadline. The kernel needs several rounds of 2 s to switch a controller that hangs.
    static let limit = Duration.seconds(12)

    let command: MgmtCommand
    let dueAt: MonotonicTime

    init(_ command: MgmtCommand, at now: MonotonicTime, limit: Duration = Self.limit) {
        self.command = command
        dueAt = now.advanced(by: limit)
    }

    /// The status and data if this event answers the command; otherwise nil.
    func answer(in event: MgmtEvent) -> (MgmtStatus, [UInt8])? {
        guard case .answered(command.opcode, command.index, let status, let data) = event else { return nil }
        return (status, data)
    }
}
