import Foundation
import ReceiverProtocol
import TestSupport
import Testing

@testable import GatewayCore

/// Random chases with both sources: whatever comes in whatever order, these things always hold.
@Suite struct ChaseWalkTests {
    private struct Walk {
        var script: Script
        var random: SeededRandom
        var polls: [CallID] = []
        var tracks: [CallID] = []
        var lastTimes: [String: String] = [:]

        init(seed: UInt64) {
            random = SeededRandom(seed: seed)
            var options = SondeHubOptions()
            options.frequencySync = [.propose, .auto, .off][Int(seed % 3)]
            script = Script(sondeHub: options)
            _ = script.run(.brokerConnected)
        }

        mutating func note(_ actions: [GatewayAction]) {
            let machine = script.machine
            for action in actions {
                switch action {
                case .pollSondeHub(let id, _): polls.append(id)
                case .fetchTrack(let id, let serial, _):
                    tracks.append(id)
                    #expect(serial == machine.identity.current)
                case .publish(let message) where message.topic.hasSuffix("/position"): note(message)
                default: break
                }
            }
            let state = machine.telemetryState.state
            #expect((machine.poll.dueAt != nil) == (state.polls && machine.poll.callInFlight == nil))
            #expect(machine.telemetryState.source == .sondehub || state != .aprsFlying && state != .aprsLanded)
        }

        private mutating func note(_ message: OutgoingMessage) {
            let text = String(decoding: message.payload, as: UTF8.self)
            guard let serial = Self.value("serial", in: text), let time = Self.value("time", in: text) else { return }
            #expect(time > lastTimes[serial] ?? "", "\(serial)")
            lastTimes[serial] = time
            if text.contains("\"source\":\"ble\"") { #expect(script.machine.telemetryState.state.isLiveBLE) }
        }

        private static func value(_ key: String, in text: String) -> String? {
            text.range(of: "\"\(key)\":\"").map { String(text[$0.upperBound...].prefix { $0 != "\"" }) }
        }
    }

    /// 10 000 sequences in 20 parts.
    @Test(arguments: 0..<20)
    func walks(_ part: UInt64) {
        for index in 0..<500 {
            var walk = Walk(seed: part * 500 + UInt64(index))
            for _ in 0..<40 { step(&walk) }
            walk.note(walk.script.wait(16))
            #expect(walk.script.machine.telemetryState.state != .startup)
        }
    }

    private func step(_ walk: inout Walk) {
        let frames = [
            Script.searching, Script.position("V1"), Script.position("V1", altitude: 900), Script.position("V2"),
            Script.position("V1"),
        ]
        switch Int.random(in: 0..<24, using: &walk.random) {
        case 0, 1: walk.note(walk.script.run(.linkOpened(ReceiverPeer(name: "x", maximumWriteLength: 128))))
        case 2: walk.note(walk.script.run(.linkClosed(.silent)))
        case 3, 4, 5: walk.note(walk.script.wait(Double.random(in: 0...30, using: &walk.random)))
        case 6: walk.note(walk.script.wait(Double.random(in: 0...4000, using: &walk.random)))
        case 7, 8, 9, 10: answer(&walk)
        case 11: walk.note(walk.script.run(.trackReceived(trackID(&walk), records(&walk))))
        case 12: walk.note(walk.script.run(.trackEnded(trackID(&walk), nil)))
        case 13: walk.note(walk.script.run(.trackEnded(trackID(&walk), SondeHubError(.malformed, "breaks off"))))
        case 14: walk.note(walk.script.command("{\"hunt\":\"V\(Int.random(in: 1...3, using: &walk.random))\"}"))
        case 15: walk.note(walk.script.command("{\"hunt\":null}"))
        case 16: walk.note(walk.script.command("{\"accept_proposal\":\(Bool.random(using: &walk.random))}"))
        case 17:
            // A year to and fro: the clock of a machine that is told nonsense.
            let year: Int64 = 31_536_000_000
            walk.script.now.wall = walk.script.now.wall.advanced(
                byMilliseconds: Bool.random(using: &walk.random) ? year : -year)
        case 18: walk.note(walk.script.run(.timerFired(pick(TimerID.allCases, &walk.random))))
        default: walk.note(walk.script.frame(pick(frames, &walk.random)))
        }
    }

    /// Of a call in flight, or of one long gone.
    private func answer(_ walk: inout Walk) {
        let id = walk.script.machine.poll.callInFlight ?? walk.polls.last ?? CallID(999)
        if Int.random(in: 0..<4, using: &walk.random) == 0 {
            walk.note(walk.script.run(.sondeHubAnswered(id, .failure(SondeHubError(.timedOut, "late")))))
        } else {
            let answer = SondeHubAnswer(records: records(&walk), cacheAge: 60)
            walk.note(walk.script.run(.sondeHubAnswered(id, .success(answer))))
        }
    }

    private func records(_ walk: inout Walk) -> [SondeHubRecord] {
        let base = Double(walk.script.now.monotonic.nanoseconds) / 1e9
        return (0..<Int.random(in: 0...3, using: &walk.random)).map { _ in
            let age = Double.random(in: -5...400, using: &walk.random)
            return SondeHubLogicTests.record(
                "V\(Int.random(in: 1...3, using: &walk.random))", at: base - age, frequency: 404.2)
        }
    }

    private func trackID(_ walk: inout Walk) -> CallID {
        walk.tracks.isEmpty ? CallID(998) : pick(Array(walk.tracks.suffix(2)), &walk.random)
    }

    private func pick<Element>(_ elements: [Element], _ random: inout SeededRandom) -> Element {
        elements[Int.random(in: elements.indices, using: &random)]
    }
}
