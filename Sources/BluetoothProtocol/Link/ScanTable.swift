public import ReceiverProtocol

/// The devices that a scan has heard, strongest first.
public struct ScanTable: Equatable, Sendable {
    public struct Row: Equatable, Sendable {
        public var device: FoundDevice
        public var lastSeen: MonotonicTime
    }

    /// The most devices in the table; further ones are ignored. A car park has fewer.
    static let limit = 256

    private let filter: ReceiverFilter?
    private var devices: [LEAddress: Row] = [:]

    /// - Parameter filter: accepts the devices to keep; nil keeps each device.
    public init(filter: ReceiverFilter?) {
        self.filter = filter
    }

    public mutating func heard(_ device: FoundDevice, at now: MonotonicTime) {
        var row = devices[device.address] ?? Row(device: device, lastSeen: now)
        row.device.merge(device)
        row.lastSeen = now
        guard filter?.accepts(row.device) ?? true, devices.count < Self.limit || devices[device.address] != nil else {
            return
        }
        devices[device.address] = row
    }

    public var rows: [Row] {
        devices.values.sorted { left, right in
            let (leftSignal, rightSignal) = (left.device.rssiDBm ?? -128, right.device.rssiDBm ?? -128)
            return leftSignal == rightSignal
                ? left.device.address.address.description < right.device.address.address.description
                : leftSignal > rightSignal
        }
    }

    /// The table as text: a head, then one line for each device.
    public func lines(at now: MonotonicTime) -> [String] {
        let head = ["ADDRESS", "NAME", "RSSI", "PROFILE", "LAST SEEN"]
        let cells = rows.map { row in
            [
                row.device.address.address.description, row.device.data.name ?? "-",
                row.device.rssiDBm.map { "\($0) dBm" } ?? "-", row.device.profile?.name ?? "-",
                "\(now.duration(since: row.lastSeen).components.seconds) s ago",
            ]
        }
        let widths = head.indices.map { column in ([head] + cells).map { $0[column].count }.max() ?? 0 }
        return ([head] + cells).map { line in
            zip(line, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
                .joined(separator: "  ").trimmingTrailingSpaces
        }
    }
}

extension String {
    fileprivate var trimmingTrailingSpaces: String {
        String(reversed().drop { $0 == " " }.reversed())
    }
}
