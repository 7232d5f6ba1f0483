import BluetoothProtocol
import Foundation
import Gateway
import GatewayReports
import TestSupport
import Testing

@testable import BlueZTransport

/// Tests that need no radio. Tests/BluetoothLab has the others.
@Suite struct BlueZTransportTests {
    private func folder() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appending(path: "bluez-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    private func write(_ text: String, _ file: URL) throws {
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    /// libbluetooth names bus, version and maker. This machine's own adapters, if it has any, are listed without a fault.
    @Test func whatAnAdapterIsMadeOf() {
        let clone = AdapterHardware(bus: "USB", chip: AdapterHardware.Chip(version: 6, maker: 10))
        #expect(clone.description == "USB, Bluetooth 4.0, Cambridge Silicon Radio")
        #expect(clone.warning?.contains("clones of this chip lose LE links") == true)
        let other = AdapterHardware(bus: "UART", chip: AdapterHardware.Chip(version: 200, maker: 15))
        #expect(other.description == "UART, Bluetooth version 200, Broadcom Corporation" && other.warning == nil)
        #expect(AdapterHardware(bus: "USB", chip: nil).description == "USB")
        let present = AdapterList.present(for: .any)
        #expect(Set(present.map(\.index)).count == present.count)
        #expect(AdapterList.information(4711) == nil)
    }

    @Test func blockedAdapters() throws {
        let root = try folder()
        defer { try? FileManager.default.removeItem(at: root) }
        for (number, type, name, soft, hard) in [
            (0, "wlan", "phy0", "1", "0"), (1, "bluetooth", "hci0", "0", "0"), (2, "bluetooth", "hci1", "1", "0"),
            (3, "bluetooth", "hci2", "0", "1"), (4, "bluetooth", "thinkpad_bluetooth", "1", "0"),
        ] {
            for (file, text) in [("type", type), ("name", name), ("soft", soft), ("hard", hard)] {
                try write(text + "\n", root.appending(path: "rfkill\(number)/\(file)"))
            }
        }
        #expect(RadioSwitch.blocked(root: root.path) == [AdapterIndex(rawValue: 1), AdapterIndex(rawValue: 2)])
        #expect(RadioSwitch.blocked(root: root.path + "/nowhere") == [])
    }

    @Test(arguments: [
        ("6.1.0-55-amd64 #1 SMP PREEMPT_DYNAMIC Debian 6.1.192-1 (2026-11-01)", true),
        ("6.1.192 #1 SMP", true), ("6.1.0-54-amd64 #1 SMP PREEMPT_DYNAMIC Debian 6.1.190-1 (2026-10-16)", false),
        ("6.12.117 #1", false), ("6.1.1920-1", false),
    ])
    func kernelsWithAKnownFault(_ version: String, _ expected: Bool) {
        #expect((KernelBluetooth.knownFault(in: version) != nil) == expected)
    }

    /// Without an adapter or without Bluetooth each attempt ends, with a sentence as its reason.
    @Test func withoutAnAdapterEveryAttemptSaysWhy() async throws {
        struct NoMemory: ReceiverMemory {
            func recall() async -> RememberedReceiver? { nil }
            func remember(_ receiver: RememberedReceiver) async {}
        }
        let missing = try #require(AdapterChoice("hci77"))
        let filter = ReceiverFilter(names: ["MySondy"])
        let transport = BlueZTransport(adapter: missing, filter: filter, memory: NoMemory())
        for _ in 0..<2 {
            let error = await #expect(throws: TransportError.self) { _ = try await transport.connect() }
            #expect(error?.code == .notFound)
            #expect(
                error?.detail.hasPrefix("this kernel has no Bluetooth") == true
                    || error?.detail.contains("hci77") == true)
        }
    }
}
