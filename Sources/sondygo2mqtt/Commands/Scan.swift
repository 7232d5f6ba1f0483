import ArgumentParser
import BlueZTransport
import BluetoothProtocol
import FoundationEssentials
import GatewayReports
import Glibc
import ReceiverProtocol
import TransportIO

struct Scan: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the receivers in Bluetooth range.",
        discussion: """
            A connected receiver does not advertise: stop the gateway, or the phone's app, to see it here.
            Put the address that you want into the configuration as receiver.address.
            Exits with 69 when this box can't scan; `sondygo2mqtt doctor` tells more.
            """)

    @Option(help: "How long to listen, 1 to 3600.")
    var seconds = 10

    @Flag(help: "Print what was heard as JSON, at the end.")
    var json = false

    @Flag(help: "Show all devices, not only receivers.")
    var all = false

    @Option(help: "receiver.adapter: hci0, 0 or the address of this box's Bluetooth adapter.")
    var adapter: String?

    @OptionGroup var shared: SharedOptions

    func validate() throws {
        guard (1...3600).contains(seconds) else { throw ValidationError("--seconds \(seconds): give 1 to 3600") }
    }

    func run() throws {
        let flags = SharedOptions.table([("receiver.adapter", "--adapter", adapter)])
        let configuration = shared.load(shared.loader(flags))
        let display = ScanDisplay(isLive: !json && isatty(STDOUT_FILENO) == 1)
        var table = ScanTable(filter: all ? nil : configuration.receiver.ble.filter)
        let end = MonotonicTime.now.advanced(by: .seconds(seconds))
        do throws(TransportError) {
            let scanner = ReceiverScanner(adapter: configuration.receiver.ble.adapter)
            try scanner.scan(until: end) { adapter in
                if !json { describe(adapter) }
            } heard: { device in
                table.heard(device, at: .now)
            } tick: {
                display.refresh(table, at: .now)
            }
        } catch {
            CommandFailure(.unavailable, error.detail).exit()
        }
        if json {
            writeLine(ScanRecord.list(table, at: .now))
        } else {
            display.finish(table, at: .now)
        }
    }
}

extension Scan {
    /// Says above the table which adapter scans.
    private func describe(_ adapter: Adapter) {
        guard let hardware = AdapterHardware(of: adapter.index) else { return }
        writeLine("\(adapter.index): \(hardware)")
        if let warning = hardware.warning { writeLine("\(adapter.index): \(warning)") }
    }
}

/// The table on the terminal during a scan.
private final class ScanDisplay {
    private let isLive: Bool
    private var linesShown = 0
    private var shownAt: MonotonicTime?

    init(isLive: Bool) {
        self.isLive = isLive
    }

    /// Draws the table over the earlier one, at most once a second.
    func refresh(_ table: ScanTable, at now: MonotonicTime) {
        guard isLive, shownAt.map({ now >= $0.advanced(by: .seconds(1)) }) ?? true else { return }
        shownAt = now
        draw(table.lines(at: now))
    }

    func finish(_ table: ScanTable, at now: MonotonicTime) {
        draw(table.lines(at: now))
        guard table.rows.isEmpty else { return }
        writeLine("No receiver was heard. Is it on and near, and not connected to a phone or a running gateway?")
    }

    private func draw(_ lines: [String]) {
        let back = linesShown > 0 ? "\u{1B}[\(linesShown)A\u{1B}[J" : ""
        writeLine(back + lines.joined(separator: "\n"))
        linesShown = isLive ? lines.count : 0
    }
}

/// A device as `--json` prints it. It has all keys; an unknown value is null.
private struct ScanRecord: Encodable {
    let row: ScanTable.Row
    let now: MonotonicTime

    private enum Keys: String, CodingKey {
        case address, name, profile
        case addressType = "address_type"
        case rssi = "rssi_dbm"
        case lastSeen = "last_seen_ms"
    }

    func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: Keys.self)
        try object.encode(row.device.address.address.description, forKey: .address)
        try object.encode(row.device.address.kind == .public ? "public" : "random", forKey: .addressType)
        try object.encode(row.device.data.name, forKey: .name)
        try object.encode(row.device.rssiDBm, forKey: .rssi)
        try object.encode(row.device.profile?.name, forKey: .profile)
        try object.encode(now.duration(since: row.lastSeen).wholeMilliseconds, forKey: .lastSeen)
    }

    static func list(_ table: ScanTable, at now: MonotonicTime) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let data = try? encoder.encode(table.rows.map { ScanRecord(row: $0, now: now) })
        return String(decoding: data ?? Data("[]".utf8), as: UTF8.self)
    }
}
