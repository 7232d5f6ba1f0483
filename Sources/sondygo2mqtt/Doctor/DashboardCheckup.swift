import Dashboard
import Feeds
import Glibc
import SondeHubClient

/// Checks whether the page can be served and which maps it shows.
struct DashboardCheckup {
    let configuration: Configuration
    /// Whether the service runs, so that the page's port is in use.
    var isServed = false

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
        let fault = PortProbe.fault(at: options.address, port: options.port)
        if let fault, fault != PortProbe.inUse {
            return Finding.note("page", "\(place): \(fault); see dashboard.port and dashboard.address")
        }
        guard fault == nil || isServed else {
            return Finding.note(
                "page", "\(place) is in use by another program, or by a gateway in a terminal; see dashboard.port")
        }
        let access = accessForOthers
        let text = "\(place) is \(fault == nil ? "free" : "served"); \(access.text)"
        return access.isSafe ? Finding.ok("page", text) : Finding.note("page", text)
    }

    /// How others open the page, and whether only those do whom the crew has let in.
    private var accessForOthers: (text: String, isSafe: Bool) {
        if let proxy = options.onlyFrom { return ("only \(proxy) gets it", true) }
        if options.isForThisMachine, options.key != nil { return ("it opens with \(options.link)", true) }
        if options.isForThisMachine { return ("for a tablet or phone: sudo sondygo2mqtt setup --tablets yes", true) }
        if configuration.hidesPageKey { return ("others need its key; the link: sudo sondygo2mqtt doctor", true) }
        if options.key != nil { return ("others open it with \(options.link)", true) }
        let means = options.allowsCommands ? "can open it and command the receiver" : "can open it"
        return ("everybody in this network \(means). A key prevents it: sudo sondygo2mqtt setup --key", false)
    }

    /// Whether the tile servers' files can be used.
    private var fetched: [Finding] { options.onlineMaps.map(fetched) }

    private func fetched(_ map: OnlineMapOptions) -> Finding {
        let kind = map.name == OnlineMapOptions.roads ? "roads" : "pictures from above"
        do throws(AreaFetch.Fault) {
            let present = try AreaFetch(map, source: TileClient(userAgent: Version.userAgent)).present()
            let size = "\(present.tiles) tiles, \(present.bytes / 1_000_000) MB of \(map.megabytes) MB"
            return Finding.ok("maps", "\(kind) come from \(map.host); kept are \(size)")
        } catch {
            return Finding.note(
                "maps", "\(kind): \(error.text); run doctor with sudo, or as the gateway's user")
        }
    }

    private var maps: [Finding] {
        guard let shelf = MapShelf.look(in: options.mapsDirectory, except: options.onlineMaps) else {
            let remedy = "is it on a network disk that is away? See dashboard.maps"
            return [Finding.note("maps", "\(options.mapsDirectory) does not answer; \(remedy)", code: .mapsAway)]
        }
        let shown =
            shelf.names.isEmpty
            ? Finding.ok("maps", "none in \(options.mapsDirectory); the page has coast, borders and towns of its own")
            : Finding.ok("maps", shelf.names.joined(separator: ", "))
        return [shown] + fetched
            + shelf.faults.map {
                Finding.note("maps", "\($0.name) \($0.text)", code: .mapsFile, place: $0.name)
            }
    }
}
