import GatewayReports
import ReceiverProtocol
import TestSupport
import Testing

@testable import BluetoothProtocol
@testable import Gateway

@Suite struct LinkMachineTests {
    static let index = LinkScript.index
    static let receiver = BluetoothAddress(octets: hex(LinkScript.receiver)).map { LEAddress($0, .public) }
    static let anyone = LinkAttempt.Target.discover(ReceiverFilter(names: ["MySondy"]))
    static let channel = LinkMachine.ChannelID(value: 0)

    // MARK: - Finding the receiver

    @Test func discoveryGoesOnAndOn() {
        var script = LinkScript(Self.anyone, searchLimit: nil)
        #expect(script.ready().commands == [.startDiscovery(Self.index)])
        script.answer(0x0023)
        script.wait(.milliseconds(10_240))
        #expect(script.run(.management(.discovering(Self.index, false))).commands == [.startDiscovery(Self.index)])
        script.answer(0x0023)
        // After a run that ends at once, the next one waits.
        #expect(script.run(.management(.discovering(Self.index, false))).commands == [])
        #expect(script.wait(.seconds(1)).commands == [.startDiscovery(Self.index)])
    }

    @Test func anotherProgramsDiscoveryIsUsed() throws {
        var script = LinkScript(Self.anyone, searchLimit: nil)
        script.ready()
        #expect(script.answer(0x0023, 0x0A) == [])
        #expect(script.wait(.milliseconds(4900)).commands == [])
        #expect(script.wait(.milliseconds(200)).commands == [.startDiscovery(Self.index)])
        script.answer(0x0023, 0x0A)
        #expect(script.found().commands == [.stopDiscovery(Self.index)])
        let receiver = try #require(Self.receiver)
        let box = try #require(BluetoothAddress("01:02:03:04:05:06"))
        // We run no discovery, so the kernel rejects the stop.
        #expect(script.answer(0x0024, 0x0B) == [.openChannel(Self.channel, from: box, to: receiver)])
    }

    @Test func scanningMayBeRefused() {
        let cases: [(UInt8, LinkOutcome)] = [
            (0x14, .denied), (0x0F, .unavailable), (0x05, .adapterTrouble), (0x03, .adapterTrouble),
        ]
        for (status, outcome) in cases {
            var script = LinkScript(Self.anyone)
            script.ready()
            #expect(script.answer(0x0023, status).end?.outcome == outcome)
        }
    }

    @Test func withoutAReceiverTheAttemptFails() {
        var script = LinkScript(Self.anyone, searchLimit: .seconds(12))
        script.ready()
        script.answer(0x0023)
        let actions = script.wait(.seconds(12))
        #expect(actions.commands == [.stopDiscovery(Self.index)])
        #expect(actions.end?.outcome == .notFound)
    }

    /// The search's own deadline passes while the machine listens for others. It must not end the attempt.
    @Test func aReceiverFoundAtTheLastMomentServes() throws {
        var script = LinkScript(Self.anyone, searchLimit: .seconds(12), looksAround: true)
        script.ready()
        script.answer(0x0023)
        script.wait(.milliseconds(11_500))
        #expect(script.found() == [])
        script.wait(.milliseconds(750))
        #expect(try #require(script.machine.deadline) > script.now)
        #expect(script.wait(.milliseconds(500)).commands == [.stopDiscovery(Self.index)])
    }

    @Test func theFirstReceiverServesAndOthersAreReported() {
        var script = LinkScript(Self.anyone, looksAround: true)
        script.ready()
        script.answer(0x0023)
        #expect(script.found("Somebody's watch", at: "0A0B0C0D0E0F") == [])
        #expect(script.found() == [])
        let other = script.found("MySondyGo-2", at: "0A0B0C0D0E0E", rssi: -20)
        #expect(other == [.report(.passedOver(name: "MySondyGo-2", address: "0E:0E:0D:0C:0B:0A"))])
        #expect(script.found("MySondyGo-2", at: "0A0B0C0D0E0E") == [])
        #expect(script.wait(.seconds(1)).commands == [.stopDiscovery(Self.index)])
    }

    @Test func anOldLinkIsEndedFirst() throws {
        let receiver = try #require(Self.receiver)
        var script = LinkScript(.known([receiver]))
        _ = script.describe()
        #expect(
            script.answer(0x0015, 0, "0200 0A0B0C0D0E0F02 \(LinkScript.receiver)01").commands == [
                .disconnect(Self.index, receiver)
            ])
        let box = try #require(BluetoothAddress("01:02:03:04:05:06"))
        #expect(script.answer(0x0014) == [.openChannel(Self.channel, from: box, to: receiver)])
        // Without the privilege to end the old link, wait for its end.
        script = LinkScript(.known([receiver]), notBefore: .milliseconds(2500))
        _ = script.describe()
        #expect(script.answer(0x0015, 0x14) == [])
        #expect(script.wait(.milliseconds(2400)) == [])
        #expect(script.wait(.milliseconds(200)) == [.openChannel(Self.channel, from: box, to: receiver)])
    }

    @Test func anAddressOfUnknownKindIsTriedAsBoth() throws {
        let address = try #require(Self.receiver?.address)
        var script = LinkScript(.known([LEAddress(address, .public), LEAddress(address, .random)]))
        #expect(script.ready().count == 2)
        let second = LinkMachine.ChannelID(value: 1)
        let opened = script.run(.channelOpened(second))
        #expect(opened == [.closeChannel(Self.channel), .send(hex("02 0502"))])
        #expect(script.run(.channelFailed(Self.channel, .closedHere)) == [])
    }

    /// The kernel's fault -> the outcome if the receiver was not heard, and if it was.
    @Test(
        arguments: [
            (.gaveUp, LinkOutcome.notFound, LinkOutcome.failed), (.timedOut, .failed, .failed),
            (.closedHere, .failed, .failed),
            (.broken, .failed, .failed), (.taken, .failed, .failed), (.adapterOff, .unavailable, .unavailable),
            (.denied, .denied, .denied), (.other("x"), .failed, .failed),
        ] as [(ChannelFault, LinkOutcome, LinkOutcome)])
    func connectionsThatFail(_ fault: ChannelFault, _ unheard: LinkOutcome, _ heard: LinkOutcome) throws {
        var script = LinkScript(.known([try #require(Self.receiver)]))
        script.ready()
        #expect(script.run(.channelFailed(Self.channel, fault)).end?.outcome == unheard)
        script = LinkScript(Self.anyone)
        script.ready()
        _ = script.found()
        script.answer(0x0024)
        #expect(script.run(.channelFailed(Self.channel, fault)).end?.outcome == heard)
    }

    @Test func aReceiverThatIsHeardButTakesNoConnection() {
        var script = LinkScript(Self.anyone)
        script.ready()
        _ = script.found()
        script.answer(0x0024)
        let actions = script.wait(.seconds(10))
        #expect(actions.first == .closeChannel(Self.channel))
        #expect(actions.end?.outcome == .failed)
    }

    // MARK: - The link

    private func connected(mtu: String = "0502") -> (LinkScript, [LinkMachine.Action]) {
        var script = LinkScript(Self.anyone)
        script.ready()
        _ = script.found()
        script.answer(0x0024)
        let actions = script.open(mtu: mtu)
        return (script, actions)
    }

    @Test func anOpenLinkNamesItsReceiver() throws {
        let (_, actions) = connected()
        let session = GATTClient.Session(profile: "MySondyGo", mtu: 517, usesIndications: false)
        let link = LinkMachine.OpenedLink(
            device: try #require(Self.receiver), name: "MySondyGo", rssiDBm: -60, session: session)
        #expect(actions == [.opened(link)])
        #expect(connected(mtu: "1700").1.last == .report(.smallMTU(23)))
    }

    @Test func theSignalIsMeasuredNowAndThen() throws {
        var (script, _) = connected()
        let question = MgmtCommand.readConnectionInformation(Self.index, try #require(Self.receiver))
        #expect(script.wait(.seconds(29)).commands == [])
        #expect(script.wait(.seconds(2)).commands == [question])
        #expect(script.answer(0x0031, 0, "\(LinkScript.receiver) 01 B0 00 00") == [.report(.signal(dBm: -80))])
        #expect(script.wait(.seconds(30)).commands == [question])
        #expect(script.answer(0x0031, 0, "\(LinkScript.receiver) 01 B0 00 00") == [])
        script.wait(.seconds(30))
        // After "permission denied" the machine does not ask again.
        script.answer(0x0031, 0x14)
        #expect(script.wait(.seconds(300)).commands == [])
    }

    /// The fault that ends an open link -> its text. The outcome depends on whether frames came.
    @Test(arguments: [
        (ChannelFault.timedOut, "the receiver went out of range"), (.closedByPeer, "the receiver hung up"),
        (.broken, "the radio link broke"), (.adapterOff, "the link was ended on this side"),
    ])
    func eachLossHasItsReason(_ fault: ChannelFault, _ text: String) {
        var (script, _) = connected()
        var end = script.run(.channelFailed(Self.channel, fault)).end
        #expect(end?.error.detail.hasPrefix(text) == true)
        #expect(end?.outcome == .mute)
        (script, _) = connected()
        script.run(.received(Self.channel, hex("1B 2A00 41")))
        end = script.run(.channelFailed(Self.channel, fault)).end
        #expect(end?.outcome == .served(endedSilently: false))
        #expect(end?.lingers == false)
    }

    @Test func closingEndsTheRadioLinkToo() throws {
        var (script, _) = connected()
        script.run(.received(Self.channel, hex("1B 2A00 41")))
        #expect(script.run(.close).commands == [.disconnect(Self.index, try #require(Self.receiver))])
        let actions = script.answer(0x0014)
        #expect(actions.first == .closeChannel(Self.channel))
        #expect(actions.end?.outcome == .served(endedSilently: true))
        #expect(actions.end?.lingers == false)
    }

    @Test func aControllerThatDoesNotEvenDisconnect() {
        var (script, _) = connected()
        script.run(.close)
        #expect(script.wait(.milliseconds(2400)).end == nil)
        let end = script.wait(.milliseconds(200)).end
        #expect(end?.outcome == .mute)
        #expect(end?.lingers == true)
    }

    /// Close ends the attempt in each state.
    @Test func closeEndsEverything() throws {
        var scripts: [LinkScript] = []
        var script = LinkScript(Self.anyone)
        scripts.append(script)
        script.run(.start)
        scripts.append(script)
        script.ready()
        scripts.append(script)
        _ = script.found()
        scripts.append(script)
        script.answer(0x0024)
        scripts.append(script)
        for var script in scripts {
            let end = script.run(.close).end
            #expect(end?.error.code == .cancelled)
            #expect(end?.outcome == .cancelled)
            #expect(script.machine.deadline == nil)
        }
    }

    @Test func setUpThatFailsEndsTheRadioLink() throws {
        var script = LinkScript(.known([try #require(Self.receiver)]))
        script.ready()
        script.run(.channelOpened(Self.channel))
        #expect(script.wait(.seconds(5)).commands == [.disconnect(Self.index, try #require(Self.receiver))])
        #expect(script.answer(0x0014).end?.outcome == .failed)
    }

    // MARK: - Random events

    /// 2000 walks of random events: exactly one end, no action after it, and each deadline moves forward.
    @Test func randomWalks() throws {
        var random = SeededRandom(seed: 1)
        let receiver = try #require(Self.receiver)
        var ends = 0
        for walk in 0..<2000 {
            let isKnown = walk.isMultiple(of: 2)
            var script = LinkScript(
                isKnown ? .known([receiver, LEAddress(receiver.address, .random)]) : Self.anyone,
                rung: LinkRepair.allCases.randomElement(using: &random) ?? .reconnect)
            var hasEnded = false
            script.run(.start)
            for _ in 0..<120 {
                let actions: [LinkMachine.Action]
                switch Int.random(in: 0..<10, using: &random) {
                case 0...3:
                    let opcodes: [UInt16] = [3, 4, 5, 0xD, 0x14, 0x15, 0x23, 0x24, 0x31]
                    let data = ["", "0100 0000", "0000", "060504030201 08 0000 01020000 01020000 00"]
                    let opcode = opcodes.randomElement(using: &random) ?? 3
                    actions = script.answer(
                        opcode, Bool.random(using: &random) ? 0 : UInt8.random(in: 0...21, using: &random),
                        data.randomElement(using: &random) ?? "", index: opcode == 3 ? 0xFFFF : 0)
                case 4: actions = script.found()
                case 5:
                    actions = script.run(
                        .channelOpened(LinkMachine.ChannelID(value: Int.random(in: 0...1, using: &random))))
                case 6: actions = script.open()
                case 7:
                    let bytes = (0..<Int.random(in: 0...24, using: &random)).map { _ in
                        UInt8.random(in: 0...0x1F, using: &random)
                    }
                    actions = script.run(.received(Self.channel, bytes))
                case 8: actions = script.wait(.milliseconds(Int.random(in: 0...20_000, using: &random)))
                default:
                    let events: [LinkMachine.Event] = [
                        .close, .channelFailed(Self.channel, .timedOut), .management(.adapterRemoved(Self.index)),
                        .management(.discovering(Self.index, false)), .write(1, [0x41]), .managementFailed("x"),
                    ]
                    actions = script.run(events.randomElement(using: &random) ?? .close)
                }
                if hasEnded { #expect(actions.filter { if case .writeFinished = $0 { false } else { true } } == []) }
                if actions.end != nil { hasEnded = true }
                if hasEnded { #expect(script.machine.deadline == nil) }
            }
            ends += hasEnded ? 1 : 0
        }
        #expect(ends > 1500)
    }
}
