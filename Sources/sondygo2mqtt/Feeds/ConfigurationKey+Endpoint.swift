import Feeds

// Keys for addresses and ports.
extension ConfigurationKey {
    /// The address on which a server listens.
    static func address(_ path: String, _ property: any Path<String>) -> ConfigurationKey {
        text(path, property, accepts: "an address of this machine, \"::\" or 0.0.0.0 for all of them") { text in
            !text.isEmpty && text.utf8.count <= 64
                && text.utf8.allSatisfy { "0123456789abcdefABCDEF.:%".utf8.contains($0) }
        }.shown
    }

    static func endpoint(
        _ path: String, _ property: any Path<FeedEndpoint?>, accepts: String = "host:port",
        where isAccepted: @escaping @Sendable (FeedEndpoint) -> Bool = { _ in true }
    ) -> ConfigurationKey {
        parsed(path, property, absent: nil, accepts: accepts) { text in
            FeedEndpoint(text).flatMap { isAccepted($0) ? .some($0) : nil }
        }.shown
    }

    /// Up to eight endpoints: a list in the file; separated by commas in a flag or the environment.
    static func endpoints(
        _ path: String, _ property: any Path<[FeedEndpoint]>, usualPort: Int?
    ) -> ConfigurationKey {
        let form = usualPort == nil ? "host:port" : "host or host:port"
        return parsed(path, property, absent: [], accepts: "a list of \(form), up to 8", as: .list) { text in
            let items = text.split(separator: ",").map { $0.trimmed }
            let endpoints = items.compactMap { FeedEndpoint($0, usualPort: usualPort) }
            return endpoints.count == items.count && items.count <= 8 ? endpoints : nil
        }.shown
    }
}

extension [FeedEndpoint] {
    /// For example `host:port, host:port`.
    var list: String { map(\.description).joined(separator: ", ") }
}
