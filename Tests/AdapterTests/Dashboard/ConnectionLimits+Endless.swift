import Dashboard

extension ConnectionLimits {
    /// Limits beyond any test. On a busy machine the first of many clients would reach the usual ones before the last is
    /// there.
    static let endless: ConnectionLimits = {
        var limits = ConnectionLimits()
        (limits.request, limits.idle, limits.stall) = (.seconds(3600), .seconds(3600), .seconds(3600))
        return limits
    }()
}
