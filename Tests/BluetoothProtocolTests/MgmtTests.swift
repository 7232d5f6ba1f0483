import ReceiverProtocol
import Testing

@testable import BluetoothProtocol

@Suite struct MgmtTests {
    static let index = AdapterIndex(rawValue: 1)
    static let device = BluetoothAddress("00:AA:01:02:03:04").map { LEAddress($0, .random) }

    /// The layouts of BlueZ's mgmt-api.txt: opcode, index, length, parameters.
    @Test(
        arguments: [
            (.readVersion, "0100 FFFF 0000"),
            (.readInformation(index), "0400 0100 0000"),
            (.setPowered(index, true), "0500 0100 0100 01"), (.setPowered(index, false), "0500 0100 0100 00"),
            (.enableLE(index), "0D00 0100 0100 01"), (.readConnections(index), "1500 0100 0000"),
            (.startDiscovery(index), "2300 0100 0100 06"), (.stopDiscovery(index), "2400 0100 0100 06"),
        ] as [(MgmtCommand, String)])
    func commands(_ command: MgmtCommand, _ bytes: String) {
        #expect(command.bytes == hex(bytes))
    }

    @Test func commandsForADevice() throws {
        let device = try #require(Self.device)
        #expect(MgmtCommand.disconnect(Self.index, device).bytes == hex("1400 0100 0700 04030201AA00 02"))
        #expect(
            MgmtCommand.readConnectionInformation(Self.index, device).bytes == hex("3100 0100 0700 04030201AA00 02"))
    }

    @Test(
        arguments: [
            ("0100 0100 0400 0500 00 AA", .answered(opcode: 5, index, .success, [0xAA])),
            ("0200 0100 0300 2300 14", .answered(opcode: 0x23, index, .permissionDenied, [])),
            ("0400 0100 0000", .adapterAdded(index)), ("0500 0100 0000", .adapterRemoved(index)),
            ("0600 0100 0400 01020000", .settingsChanged(index, [.powered, .lowEnergy])),
            ("1300 0100 0200 06 01", .discovering(index, true)), ("1300 0100 0200 06 00", .discovering(index, false)),
            ("1200 0100 0E00 04030201AA00 00 C5 00000000 0000", .other), ("7700 0100 0100 FF", .other),
            // Packets that break their own format.
            ("", nil), ("0100", nil), ("0100 0100 0500 0500 00", nil), ("0100 0100 0200 0500", nil),
            ("0600 0100 0300 010200", nil), ("1300 0100 0100 06", nil), ("1200 0100 0300 000000", nil),
            ("0400 0100 0000 00", nil),
        ] as [(String, MgmtEvent?)])
    func events(_ bytes: String, _ expected: MgmtEvent?) {
        #expect(MgmtEvent(hex(bytes)) == expected)
    }

    @Test func eventsOfADevice() throws {
        let device = try #require(Self.device)
        // A device heard at -59 dBm, with a name. The length of its data may be wrong.
        for length in ["0600", "FFFF"] {
            let event = MgmtEvent(hex("1200 0100 1400 04030201AA00 02 C5 00000000 \(length) 05 09 41424344"))
            let data = AdvertisingData(hex("05 09 41424344"))
            #expect(event == .deviceFound(Self.index, FoundDevice(address: device, rssiDBm: -59, data: data)))
        }
        guard case .deviceFound(_, let found) = MgmtEvent(hex("1200 0100 0E00 04030201AA00 02 7F 00000000 0000")) else {
            Issue.record("not found")
            return
        }
        #expect(found.rssiDBm == nil)
    }

    @Test func theVersionOfTheInterface() {
        #expect(MgmtEvent(hex("0100 FFFF 0600 0100 00 01 1600"))?.managementVersion == "1.22")
        #expect(MgmtEvent(hex("0100 FFFF 0400 0100 00 01"))?.managementVersion == nil)
        #expect(MgmtEvent(hex("0200 FFFF 0300 0100 14"))?.managementVersion == nil)
    }

    /// The one with LE that is on, then the one that is off, and the one whose features say nothing last.
    @Test func theConfiguredAdapterIsPicked() throws {
        func adapter(_ index: UInt8, isUp: Bool, hasLowEnergy: Bool) throws -> PresentAdapter {
            PresentAdapter(
                index: AdapterIndex(rawValue: UInt16(index)),
                address: try #require(BluetoothAddress(octets: [index, 2, 3, 4, 5, 6])), isUp: isUp,
                hasLowEnergy: hasLowEnergy)
        }
        let old = try adapter(0, isUp: true, hasLowEnergy: false)
        let off = try adapter(1, isUp: false, hasLowEnergy: true)
        let on = try adapter(2, isUp: true, hasLowEnergy: true)
        #expect(AdapterChoice.any.candidates(among: [old, off, on]) == [on, off, old])
        #expect(AdapterChoice.any.candidates(among: []) == [])
        #expect(AdapterChoice.index(AdapterIndex(rawValue: 0)).candidates(among: [old, off]) == [old])
        #expect(AdapterChoice.address(off.address).candidates(among: [old, off]) == [off])
        #expect(AdapterChoice.address(on.address).candidates(among: [old, off]) == [])
    }
}
