import ReceiverProtocol
import ReceiverSimulator
import Testing

@Suite struct ReceiverSimulatorTests {
    /// A whole flight of each type with both firmwares: each frame parses, the motion is plausible, and the sonde
    /// lands.
    @Test(
        arguments: ["RS41", "M20", "M10", "PILOT", "DFM", "RD41", "C50", "IMET4"], SimulatorOptions.Firmware.allCases)
    func wholeFlight(_ type: String, _ firmware: SimulatorOptions.Firmware) throws {
        var simulator = ReceiverSimulator(
            options: SimulatorOptions(
                seed: 3, firmware: firmware, sondeType: SondeType(name: type), launchDelay: .seconds(10),
                burstAltitudeMetres: 20_000))
        var phases: [FlightModel.Phase] = []
        var last: Position?
        var highest = 0.0
        for _ in 0..<12_000 where phases.last != .landed {
            let frames = try frames(simulator.nextSecond())
            if phases.last != simulator.flight.phase { phases.append(simulator.flight.phase) }
            for case .radio(let frame) in frames {
                #expect(frame.sondeType.name == type)
                guard let reading = frame.position else { continue }
                guard case .plausible(let position) = reading else { throw FrameRejection.garbage }
                if let last { #expect(abs(position.altitudeMetres - last.altitudeMetres) < 80) }
                highest = max(highest, position.altitudeMetres)
                last = position
            }
        }
        #expect(phases == [.onGround, .ascending, .descending, .landed])
        #expect((19_900...20_200).contains(highest))
        let landing = try #require(last)
        #expect(landing.altitudeMetres < 520)
    }

    @Test func sameSeedSameFrames() {
        var first = ReceiverSimulator(options: SimulatorOptions(seed: 9))
        var second = ReceiverSimulator(options: SimulatorOptions(seed: 9))
        var other = ReceiverSimulator(options: SimulatorOptions(seed: 10))
        var differs = false
        for _ in 0..<300 {
            let outputs = first.nextSecond()
            #expect(outputs == second.nextSecond())
            if outputs != other.nextSecond() { differs = true }
        }
        #expect(differs)
    }

    @Test func answersEveryCommand() throws {
        var simulator = ReceiverSimulator(options: SimulatorOptions())
        simulator.receive(Array("garbage o{mute=1}oo{f=404.123/tipo=3}o".utf8))
        guard case .radio(let frame) = try frames(simulator.nextSecond()).last else { throw FrameRejection.garbage }
        #expect(frame.kind == .noSonde)
        #expect(frame.frequencyMHz == 404.123)
        #expect(frame.sondeType == .m10)
        #expect(frame.isMuted == true)
        simulator.receive(Array("o{rs41.rxbw=9/myCall=HB9XYZ/P/freqofs=-850}o".utf8))
        simulator.receive(Array("o{?".utf8))
        simulator.receive(Array("}o".utf8))
        guard case .configuration(let configuration) = try frames(simulator.nextSecond()).first else {
            throw FrameRejection.garbage
        }
        #expect(configuration[try #require(ReceiverSetting(key: "rs41.rxbw"))] == .integer(9))
        #expect(configuration[.callsign] == .text("HB9XYZ/P"))
        #expect(configuration[.frequencyOffset] == .integer(-850))
    }

    @Test func faultsOnRequest() throws {
        var simulator = ReceiverSimulator(
            options: SimulatorOptions(faults: [
                SimulatedFault(kind: .silence, start: .seconds(5), duration: .seconds(3)),
                SimulatedFault(kind: .drop, start: .seconds(10), duration: .seconds(2)),
            ]))
        var seconds: [[ReceiverSimulator.Output]] = []
        for _ in 0..<15 { seconds.append(simulator.nextSecond()) }
        #expect(seconds[4...6].allSatisfy { $0.isEmpty })
        #expect(!seconds[3].isEmpty && !seconds[7].isEmpty)
        #expect(seconds[9] == [.hangUp])
        #expect(seconds[10].isEmpty)
        #expect(!seconds[11].isEmpty)
    }

    @Test(arguments: [
        ("silence@60:20", true), ("drop@1:0.5", true), ("silence@60", false), ("x@1:2", false), ("split@-1:2", false),
        ("", false), ("garbage@1:nan", false),
    ])
    func faultTexts(_ text: String, _ isValid: Bool) {
        #expect((SimulatedFault(text) != nil) == isValid)
    }

    private func frames(_ outputs: [ReceiverSimulator.Output]) throws -> [Frame] {
        var deframer = Deframer()
        var frames: [Frame] = []
        for case .bytes(let bytes) in outputs {
            deframer.append(bytes.span, at: .zero) { run, _ in
                switch run {
                case .frame(let frame): frames.append(frame)
                case .rejected(let reason): Issue.record("rejected: \(reason)")
                }
            }
        }
        return frames
    }
}
