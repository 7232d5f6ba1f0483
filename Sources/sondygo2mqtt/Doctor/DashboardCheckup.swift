import Dashboard
import Feeds
import Glibc
import SondeHubClient

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
        let missing = PageLibrary.allCases.filter { !$0.isInstalled }
        guard missing.isEmpty else {
            let parts = missing.map(\.purpose).joined(separator: ", ")
            return Finding.note(
                "page", "it has no \(parts); run: sudo apt install \(missing.map(\.package).joined(separator: " "))")
        }
        return Finding.ok("page", "its files are in \(folder)")
    }

    /// Warns if the whole network can open the page and command the receiver.
    private var listener: Finding {
        let place = FeedEndpoint(host: options.address, port: options.port).description
        if let fault = PortProbe.fault(at: options.address, port: options.port) {
            return Finding.note(
                "page", "\(place): \(fault) (by the running gateway?); see dashboard.port and dashboard.address")
        }
        guard options.isForThisMachine else {
            if options.key != nil { return Finding.ok("page", "\(place) is free; others open it with \(options.link)") }
            let means = options.allowsCommands ? "can open it and command the receiver" : "can open it"
            return Finding.note(
                "page",
                "\(place) is free; everybody in this network \(means). A key prevents it: sudo sondygo2mqtt setup --key"
            )
        }
        return Finding.ok("page", "\(place) is free; for a tablet or phone: sudo sondygo2mqtt setup --tablets yes")
    }

    /// Whether the tile server's file can be used.
    private var roads: [Finding] {
        guard let map = options.onlineMap else { return [] }
        do throws(AreaFetch.Fault) {
            let present = try AreaFetch(map, source: TileClient(userAgent: Version.userAgent)).present()
            let size = "\(present.tiles) tiles, \(present.bytes / 1_000_000) MB of \(map.megabytes) MB"
            return [Finding.ok("maps", "roads come from \(map.host); kept are \(size)")]
        } catch {
            return [Finding.note("maps", "roads: \(error.text); run doctor with sudo, or as the gateway's user")]
        }
    }

    private var maps: [Finding] {
        guard let shelf = MapShelf.look(in: options.mapsDirectory, except: options.onlineMap) else {
            let remedy = "is it on a network disk that is away? See dashboard.maps"
            return [Finding.note("maps", "\(options.mapsDirectory) does not answer; \(remedy)", code: .mapsAway)]
        }
        let shown =
            shelf.names.isEmpty
            ? Finding.ok("maps", "none in \(options.mapsDirectory); the page has coast, borders and towns of its own")
            : Finding.ok("maps", shelf.names.joined(separator: ", "))
        return [shown] + roads
            + shelf.faults.map {
                Finding.note("maps", "\($0.name) \($0.text)", code: .mapsFile, place: $0.name)
            }
    }
}
