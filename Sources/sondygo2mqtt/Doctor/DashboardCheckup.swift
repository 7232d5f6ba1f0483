import Dashboard
import Glibc

/// Checks whether the page can be served and which maps it shows.
struct DashboardCheckup {
    let configuration: Configuration

    func findings() -> [Finding] {
        guard configuration.dashboard.isEnabled else {
            return [Finding.ok("page", "is switched off in the configuration")]
        }
        return [files, listener] + maps
    }

    private var options: DashboardOptions { configuration.dashboardOptions }

    private var files: Finding {
        guard let folder = options.pageDirectory else {
            return Finding.note("page", "the page's files are not beside the program; install the Debian package")
        }
        guard PageLocator.hasLeaflet else {
            return Finding.note(
                "page", "there is no map without Leaflet: sudo apt install \(PageLocator.leafletPackage)")
        }
        return Finding.ok("page", "its files are in \(folder)")
    }

    /// Warns if the whole network can open the page and command the receiver.
    private var listener: Finding {
        let place = "\(options.address):\(options.port)"
        if let fault = PortProbe.fault(at: options.address, port: options.port) {
            return Finding.note(
                "page", "\(place): \(fault) (by the running gateway?); see dashboard.port and dashboard.address")
        }
        guard ["127.0.0.1", "::1"].contains(options.address) else {
            let means = options.allowsCommands ? "can open it and command the receiver" : "can open it"
            return Finding.ok("page", "\(place) is free; everybody in this network \(means)")
        }
        return Finding.ok("page", "\(place) is free; for a tablet or phone set dashboard.address to \"::\"")
    }

    private var maps: [Finding] {
        guard let shelf = MapShelf.look(in: options.mapsDirectory) else {
            let remedy = "is it on a network disk that is away? See dashboard.maps"
            return [Finding.note("maps", "\(options.mapsDirectory) does not answer; \(remedy)")]
        }
        let shown =
            shelf.names.isEmpty
            ? Finding.ok("maps", "none in \(options.mapsDirectory); the page has coast, borders and towns of its own")
            : Finding.ok("maps", shelf.names.joined(separator: ", "))
        return [shown] + shelf.faults.map { Finding.note("maps", "\($0.name) \($0.text)") }
    }
}
