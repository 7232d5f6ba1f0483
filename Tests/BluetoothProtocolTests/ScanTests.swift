import ReceiverProtocol
import Testing

@testable import BluetoothProtocol
@testable import GatewayReports

@Suite struct ScanTests {
    private func device(_ last: UInt8, _ name: String?, _ rssi: Int?, service: String = "") throws -> FoundDevice {
        let address = try #require(BluetoothAddress(octets: [last, 2, 3, 4, 5, 6]))
        let nameField: [UInt8] = name.map { [UInt8($0.utf8.count + 1), 0x09] + Array($0.utf8) } ?? []
        return FoundDevice(
            address: LEAddress(address, .public), rssiDBm: rssi, data: AdvertisingData(hex(service) + nameField))
    }

    @Test func theTableListsEachDeviceOnce() throws {
        var table = ScanTable(filter: ReceiverFilter(names: ["MySondy"]))
        table.heard(try device(1, "MySondyGo-1", -80), at: .zero)
        table.heard(try device(2, "MySondyGo-2", -40, service: ReceiverFilterTests.mySondy), at: .zero)
        table.heard(try device(3, "a watch", -20), at: .zero)
        // A later report without a name does not remove the name.
        table.heard(try device(1, nil, -60), at: .zero.advanced(by: .seconds(2)))
        #expect(
            table.lines(at: .zero.advanced(by: .seconds(5))) == [
                "ADDRESS            NAME         RSSI     PROFILE    LAST SEEN",
                "06:05:04:03:02:02  MySondyGo-2  -40 dBm  MySondyGo  5 s ago",
                "06:05:04:03:02:01  MySondyGo-1  -60 dBm  -          3 s ago",
            ])
        #expect(ScanTable(filter: nil).lines(at: .zero) == ["ADDRESS  NAME  RSSI  PROFILE  LAST SEEN"])
    }

    @Test func theTableIsBounded() throws {
        var table = ScanTable(filter: nil)
        for high in UInt8(0)...3 {
            for low in UInt8.min...UInt8.max {
                let address = try #require(BluetoothAddress(octets: [low, high, 3, 4, 5, 6]))
                table.heard(
                    FoundDevice(address: LEAddress(address, .random), rssiDBm: nil, data: AdvertisingData([])),
                    at: .zero)
            }
        }
        #expect(table.rows.count == ScanTable.limit)
    }

    @Test func locatingChangesNothing() {
        var machine = ScanMachine(adapter: .any, blocked: [], scans: false)
        #expect(machine.handle(.start, at: .zero) == [.listAdapters])
        func answer(_ opcode: UInt16, _ index: AdapterIndex, _ data: String) -> [ScanMachine.Action] {
            machine.handle(.management(.answered(opcode: opcode, index, .success, hex(data))), at: .zero)
        }
        let index = LinkScript.index
        #expect(
            machine.handle(.adapters(LinkScript.adapters), at: .zero) == [.manage(.readInformation(index))])
        guard case .located(let adapter)? = answer(4, index, "060504030201 08 0000 01020000 00020000 00").first else {
            Issue.record("not located")
            return
        }
        #expect(!adapter.isPowered)
        #expect(machine.deadline == nil)
    }

    /// A machine that has just started to scan.
    private func scanning() -> ScanMachine {
        var machine = ScanMachine(adapter: .any, blocked: [], scans: true)
        _ = machine.handle(.start, at: .zero)
        _ = machine.handle(.adapters(LinkScript.adapters), at: .zero)
        let information = hex("060504030201 08 0000 01020000 01020000 00")
        let started = machine.handle(
            .management(.answered(opcode: 4, LinkScript.index, .success, information)), at: .zero)
        #expect(started.last == .manage(.startDiscovery(LinkScript.index)))
        return machine
    }

    @Test func devicesAreHeardAgainEveryFewSeconds() {
        var machine = scanning()
        let index = LinkScript.index
        _ = machine.handle(.management(.answered(opcode: 0x23, index, .success, [6])), at: .zero)
        let later = MonotonicTime.zero.advanced(by: ScanMachine.refreshInterval)
        #expect(machine.deadline == later)
        #expect(machine.handle(.timePassed, at: later) == [.manage(.stopDiscovery(index))])
        #expect(machine.handle(.management(.discovering(index, false)), at: later) == [.manage(.startDiscovery(index))])
        #expect(machine.deadline.map { $0 > later } == true)
    }

    @Test func aScanSaysWhyItFails() {
        var machine = scanning()
        let index = LinkScript.index
        let refused = machine.handle(.management(.answered(opcode: 0x23, index, .permissionDenied, [])), at: .zero)
        guard case .failed(let error)? = refused.first else {
            Issue.record("goes on")
            return
        }
        #expect(error.detail.contains("CAP_NET_ADMIN"))
    }
}
