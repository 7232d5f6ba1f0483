/// What this program calls itself.
enum Version {
    static let current = "0.1.0"
    /// For servers that are asked over HTTP.
    static let userAgent = "sondygo2mqtt/\(current) (+https://github.com/sondygo2mqtt/sondygo2mqtt)"
}
