import ArgumentParser
import Dashboard
import FlightMath
import Gateway
import GatewayRuntime
import Glibc
import SondeHubClient

struct Maps: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Fetch roads for the map while there is a network.", subcommands: [MapsFetch.self])
}

struct MapsFetch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fetch",
        abstract: "Fetch the tiles of an area before the chase.",
        discussion: """
            For example:  sudo sondygo2mqtt maps fetch --around 47.1,7.4 --km 40 --zoom 8-14
            The tiles come from the server dashboard.tiles.url, two a second at most, and the page shows them like any \
            other map. Ask the terms of the server whether it allows this. Ctrl-C ends it; the same command goes on \
            where it ended.
            """)

    /// More tiles are fetched only after a question, or with --yes.
    private static let mostUnasked = 2000

    @Option(help: "The middle of the area: latitude,longitude in degrees, or the link of a map.")
    var around: String

    @Option(help: "From the middle to each edge of the area, 0.1 to 500 kilometres.")
    var km: Double

    @Option(help: "The lowest and the highest zoom level. 14 shows minor roads.")
    var zoom = "8-14"

    @Flag(help: "Fetch more than \(mostUnasked) tiles without a question.")
    var yes = false

    @OptionGroup var shared: SharedOptions

    func run() async throws {
        let configuration = shared.load(shared.loader())
        do throws(CommandFailure) {
            guard let options = configuration.onlineMap else {
                throw CommandFailure(
                    .configuration,
                    "dashboard.tiles.url names no tile server; give its address, for example "
                        + "https://tile.example.org/{z}/{x}/{y}.png")
            }
            guard !options.forbidsAreas else {
                throw CommandFailure(
                    .refused,
                    "the terms of \(options.host) forbid to fetch areas in advance; name another server in "
                        + "dashboard.tiles.url")
            }
            try await fetch(try area(upTo: options.maximumZoom), options)
        } catch {
            error.exit()
        }
    }

    /// - Parameter most: the server's highest zoom level.
    /// - Throws: kind `usage` if a value is not accepted.
    func area(upTo most: Int) throws(CommandFailure) -> TileArea {
        guard let place = PlaceText.place(in: around), TileArea.latitudes.contains(place.latitude) else {
            throw CommandFailure(
                .usage,
                "--around \(around.given): give latitude,longitude with decimal points, for example 47.1,7.4, or a map's link"
            )
        }
        guard TileArea.kilometres.contains(km) else {
            throw CommandFailure(.usage, "--km \(km): give 0.1 to 500")
        }
        let levels = zoom.split(separator: "-").compactMap { Int($0) }
        guard let low = levels.first, let high = levels.last, levels.count <= 2,
            zoom.count(where: { $0 == "-" }) < levels.count,
            0 <= low, low <= high, high <= most
        else {
            throw CommandFailure(
                .usage, "--zoom \(zoom.given): give two levels of 0 to \(most), for example 8-\(min(14, most))")
        }
        return TileArea(around: place, kilometres: km, zooms: low...high)
    }

    private func fetch(_ area: TileArea, _ options: OnlineMapOptions) async throws(CommandFailure) {
        do throws(AreaFetch.Fault) {
            let fetch = try AreaFetch(options, source: TileClient(userAgent: Version.userAgent))
            let plan = try fetch.plan(area)
            let pace = AreaFetch.pace * plan.missing
            writeLine(
                "\(plan.all) tiles, \(plan.missing) of them to fetch from \(options.host): about "
                    + "\(Self.size(plan.bytes)), at least \(Self.time(pace))")
            guard plan.missing > 0 else { return }
            if plan.missing > Self.mostUnasked, !yes {
                guard isatty(STDIN_FILENO) == 1 else { return refuse(plan.missing) }
                writeLine("Fetch them? yes or no:")
                guard ["yes", "y"].contains(readLine()?.lowercased()) else { return }
            }
            let bar = ProgressBar()
            let result = try await fetch.run(area) { bar.show($0) }
            bar.end()
            let odd = result.skipped == 0 ? "" : "; \(result.skipped) answers were no tiles"
            writeLine("Fetched \(Self.size(result.bytes)) into \(options.folder)\(odd).")
        } catch {
            throw CommandFailure(.unavailable, error.text)
        }
    }

    private func refuse(_ count: Int) {
        CommandFailure(.refused, "\(count) tiles are more than \(Self.mostUnasked); --yes fetches them").exit()
    }

    static func size(_ bytes: Int) -> String {
        bytes < 1_000_000 ? "\((bytes + 500) / 1000) kB" : "\((bytes + 500_000) / 1_000_000) MB"
    }

    static func time(_ duration: Duration) -> String {
        let seconds = Int(duration.components.seconds)
        return seconds < 120 ? "\(seconds) s" : "\((seconds + 30) / 60) min"
    }
}

/// A bar on a terminal; elsewhere a line for each tenth.
private final class ProgressBar {
    private static let width = 30
    private let isTerminal = isatty(STDERR_FILENO) == 1
    private var told = -1

    func show(_ progress: AreaFetch.Progress) {
        let share = progress.done * Self.width / max(1, progress.all)
        let numbers = "\(progress.done)/\(progress.all), \(MapsFetch.size(progress.bytes))"
        if isTerminal {
            let bar = String(repeating: "#", count: share) + String(repeating: ".", count: Self.width - share)
            let text = "\r\u{1b}[K[\(bar)] \(numbers)\(progress.waits.map { "; \($0.plainLine())" } ?? "")"
            // The fetch goes on without a terminal.
            try? writeWhole(Array(text.utf8), to: STDERR_FILENO)
        } else if let waits = progress.waits {
            writeLine(waits.plainLine(), to: STDERR_FILENO)
        } else if progress.done * 10 / max(1, progress.all) > told {
            told = progress.done * 10 / max(1, progress.all)
            writeLine(numbers, to: STDERR_FILENO)
        }
    }

    func end() {
        if isTerminal { writeLine("", to: STDERR_FILENO) }
    }
}
