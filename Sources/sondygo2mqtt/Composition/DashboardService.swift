import Dashboard
import ServiceLifecycle

/// Runs the page's server until the program stops.
struct DashboardService: Service {
    let server: DashboardServer

    init(_ server: DashboardServer) {
        self.server = server
    }

    func run() async throws {
        await cancelWhenGracefulShutdown { await server.run() }
    }
}
