import Gateway
import GatewayReports
import SondeHubClient

/// The services beside SondeHub: their settings, keys and clients.
struct OnlineServices: Equatable {
    /// A route server.
    struct Route: Equatable {
        /// Nil for none.
        var url: String?
        var engine = RouteEngine.osrm
        var mode = RouteMode.car
        var detour = 1.35

        var options: RouteOptions {
            RouteOptions(
                engine: url == nil ? nil : engine, mode: mode, detour: detour,
                isPublic: url.map(RouteClient.isPublic) ?? false)
        }
    }

    var route = Route()

    /// Gives the requests' sources a client of each configured service.
    func addClients(to sources: inout CallSources) throws(CommandFailure) {
        sources.routes = try client("route.url", at: route.url) { url throws(OnlineServiceError) in
            try RouteClient(url: url, engine: route.engine, userAgent: Version.userAgent)
        }
    }

    /// - Returns: nil without an address.
    private func client<Client>(
        _ key: String, at url: String?, _ open: (String) throws(OnlineServiceError) -> Client
    ) throws(CommandFailure) -> Client? {
        guard let url else { return nil }
        do throws(OnlineServiceError) {
            return try open(url)
        } catch {
            throw CommandFailure(.configuration, "\(key): \(error.detail)")
        }
    }
}

extension ConfigurationKey {
    static let services: [ConfigurationKey] = [
        optional(
            "route.url", \.services.route.url, accepts: serviceRule,
            where: RouteClient.accepts
        ).address,
        choice("route.api", \.services.route.engine, from: routeEngines),
        choice("route.mode", \.services.route.mode, from: routeModes).live,
        number("route.detour", \.services.route.detour, in: 1...3),
    ]

    private static let serviceRule = "an https URL (http for this machine and its network only)"
    private static let routeEngines: KeyValuePairs<String, RouteEngine> = ["osrm": .osrm, "valhalla": .valhalla]
    private static let routeModes: KeyValuePairs<String, RouteMode> = ["car": .car, "bike": .bike]
}
