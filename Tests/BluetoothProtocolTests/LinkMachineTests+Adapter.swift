import GatewayReports
import ReceiverProtocol
import Testing

@testable import BluetoothProtocol
@testable import Gateway

extension LinkMachineTests {
    // MARK: - The adapter

    @Test func theAdapterIsSwitchedOnWhenNobodyElseDoesIt() {
        var script = LinkScript(Self.anyone)
        #expect(script.describe(isPowered: false).commands == [.readInformation(Self.index)])
        script.answer(0x0004, 0, "060504030201 08 0000 01020000 00020000 00")
        #expect(script.wait(.milliseconds(900)).commands == [])
        #expect(script.wait(.milliseconds(200)).commands == [.setPowered(Self.index, true)])
        #expect(script.answer(0x0005).commands == [.readConnections(Self.index)])
    }

    @Test func bluetoothdMaySwitchItOnFirst() {
        var script = LinkScript(Self.anyone)
        _ = script.describe(isPowered: false)
        let actions = script.run(.management(.settingsChanged(Self.index, [.powered, .lowEnergy])))
        #expect(actions.commands == [.readConnections(Self.index)])
    }

    /// Status of the answer to "switch on" -> the text of the error, and the outcome.
    @Test(
        arguments: [
            (0x14, "CAP_NET_ADMIN", LinkOutcome.denied), (0x12, "rfkill unblock bluetooth", .unavailable),
            (0x03, "can't be switched on: failed", .adapterTrouble),
            (0x0A, "can't be switched on: busy", .adapterTrouble),
        ] as [(UInt8, String, LinkOutcome)])
    func anAdapterThatStaysOff(_ status: UInt8, _ text: String, _ outcome: LinkOutcome) {
        var script = LinkScript(Self.anyone)
        _ = script.describe(isPowered: false)
        script.wait(.seconds(1))
        let end = script.answer(0x0005, status).end
        #expect(end?.error.detail.contains(text) == true)
        #expect(end?.outcome == outcome)
    }

    @Test func aMissingAdapterIsReported() {
        var script = LinkScript(Self.anyone)
        script.run(.start)
        let end = script.run(.adapters([])).end
        #expect(end?.error == TransportError(.notFound, "no Bluetooth adapter; plug one in", isDeviceMissing: true))
        #expect(end?.outcome == .unavailable)
        script = LinkScript(Self.anyone, adapter: .index(AdapterIndex(rawValue: 7)))
        script.run(.start)
        let missing = script.run(.adapters(LinkScript.adapters)).end
        #expect(missing?.error.detail == "no Bluetooth adapter hci7; there is hci0 (01:02:03:04:05:06)")
        script = LinkScript(Self.anyone, blocked: [Self.index])
        #expect(script.describe().end?.error.detail.contains("rfkill unblock bluetooth") == true)
    }

    /// The library also lists an adapter that another program drives by itself. The kernel's own word decides.
    @Test func anAdapterInOtherHandsIsPassedOver() throws {
        let other = AdapterIndex(rawValue: 1)
        let address = try #require(BluetoothAddress("00:AA:01:00:00:01"))
        let taken = PresentAdapter(index: other, address: address, isUp: true, hasLowEnergy: true)
        var script = LinkScript(Self.anyone)
        #expect(script.run(.start) == [.listAdapters])
        #expect(script.run(.adapters([taken] + LinkScript.adapters)).commands == [.readInformation(other)])
        #expect(script.answer(0x0004, 0x11, index: 1).commands == [.readInformation(Self.index)])
        let described = script.answer(0x0004, 0, "060504030201 08 0000 01020000 01020000 00")
        #expect(described.commands == [.readConnections(Self.index)])

        script = LinkScript(Self.anyone, adapter: .index(other))
        script.run(.start)
        script.run(.adapters([taken] + LinkScript.adapters))
        let end = script.answer(0x0004, 0x11, index: 1).end
        #expect(end?.error.detail == "another program holds the adapter hci1, or it is not ready: invalid index")
    }

    @Test func anAdapterThatDoesNotAnswerIsInTrouble() {
        var script = LinkScript(Self.anyone)
        script.run(.start)
        script.run(.adapters(LinkScript.adapters))
        #expect(script.wait(MgmtCall.limit - .milliseconds(100)).end == nil)
        #expect(script.wait(.milliseconds(200)).end?.outcome == .adapterTrouble)
    }

    @Test func theRepairSwitchesOffAndOnUnlessOthersUseTheAdapter() {
        var script = LinkScript(Self.anyone, rung: .powerCycle)
        _ = script.describe()
        #expect(script.answer(0x0015, 0, "0000") == [.listAdapters])
        script.run(.adapters(LinkScript.adapters))
        let described = script.answer(0x0004, 0, "060504030201 08 0000 01020000 01020000 00")
        #expect(described.commands == [.setPowered(Self.index, false)])
        // The repair itself switches the adapter off, so the adapter is not lost.
        #expect(script.run(.management(.settingsChanged(Self.index, [.lowEnergy]))) == [])
        #expect(script.answer(0x0005).commands == [.setPowered(Self.index, true)])
        #expect(script.answer(0x0005).commands == [.readConnections(Self.index)])
        #expect(script.answer(0x0015, 0, "0000").commands == [.startDiscovery(Self.index)])

        script = LinkScript(Self.anyone, rung: .powerCycle)
        _ = script.describe()
        #expect(script.answer(0x0015, 0, "0100 0A0B0C0D0E0F 02").commands == [.startDiscovery(Self.index)])
        // A headset with classic Bluetooth counts, too.
        script = LinkScript(Self.anyone, rung: .powerCycle)
        _ = script.describe()
        #expect(script.answer(0x0015, 0, "0100 0A0B0C0D0E0F 00").commands == [.startDiscovery(Self.index)])
        // If the adapter is known to be faulty, other devices do not prevent the repair.
        script = LinkScript(Self.anyone, rung: .powerCycle, sparesOthers: false)
        #expect(script.describe().commands == [.setPowered(Self.index, false)])
    }

    @Test func anAdapterThatGoesAwayEndsTheAttempt() {
        for event in [MgmtEvent.adapterRemoved(Self.index), .settingsChanged(Self.index, [.lowEnergy])] {
            var script = LinkScript(Self.anyone)
            script.ready()
            let end = script.run(.management(event)).end
            #expect(end?.outcome == .unavailable)
        }
    }
}
