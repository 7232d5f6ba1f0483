/// The program's version and its name for servers.
enum Version {
    static let current = "1.0.0"
    /// The header `User-Agent` of HTTP requests.
    static let userAgent = "sondygo2mqtt/\(current) (+https://github.com/sondygo2mqtt/sondygo2mqtt)"
}
