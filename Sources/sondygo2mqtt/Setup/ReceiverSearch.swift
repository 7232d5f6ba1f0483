import BlueZTransport
import BluetoothProtocol
import GatewayReports
import ReceiverProtocol
import Threads
import TransportIO

/// Looks for receivers in Bluetooth range, for `setup`.
enum ReceiverSearch {
    private static let time = Duration.seconds(8)

    /// Blocks the thread.
    /// - Throws: why this box can't scan.
    static func run(_ receiver: Configuration.Receiver) throws(TransportError) -> [ScanTable.Row] {
        var table = ScanTable(filter: ReceiverFilter(names: receiver.ble.names, address: nil))
        let end = MonotonicTime.now.advanced(by: time)
        try ReceiverScanner(adapter: receiver.ble.adapter).scan(until: end) { _ in
        } heard: { device in
            table.heard(device, at: .now)
        } tick: {
        }
        return table.rows
    }

    /// Looks for them on a thread of its own.
    static func rows(_ receiver: Configuration.Receiver) async -> Result<[ScanTable.Row], TransportError> {
        await withCheckedContinuation { continuation in
            runOnThread(named: "one call") {
                continuation.resume(returning: Result { () throws(TransportError) in try run(receiver) })
            }
        }
    }
}
