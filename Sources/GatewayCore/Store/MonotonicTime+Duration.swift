import ReceiverProtocol

extension MonotonicTime {
    /// Saturating: no clock gets there.
    func advanced(by duration: Duration) -> MonotonicTime {
        let (seconds, attoseconds) = duration.components
        let (whole, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !isTooLong else { return MonotonicTime(nanoseconds: seconds < 0 ? .min : .max) }
        return MonotonicTime(nanoseconds: nanoseconds &+ whole &+ attoseconds / 1_000_000_000)
    }
}
