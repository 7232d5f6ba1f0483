import Foundation
import ReceiverProtocol
import TestSupport
import Testing

@testable import GatewayCore

/// Random events in random order: no crash, no illegal publication, one final answer for each command.
@Suite struct RandomWalkTests {
    private struct Walk {
        var script = Script()
        var random: SeededRandom
        var openWrites: [WriteID] = []
        var sent = 0
        var finals: [Int: Int] = [:]
        var lastTime = ""
        var lastPosition = ""
        var messages: [OutgoingMessage] = []

        mutating func note(_ actions: [GatewayAction]) {
            openWrites += actions.writeIDs
            for message in actions.published {
                #expect(script.machine.isBrokerConnected)
                note(message)
            }
            for case .spool(let message) in actions {
                #expect(!script.machine.isBrokerConnected)
                note(message)
            }
        }

        private mutating func note(_ message: OutgoingMessage) {
            messages.append(message)
            let text = String(decoding: message.payload, as: UTF8.self)
            if message.topic.hasSuffix("/position"), text.contains("\"age_ms\":0,"),
                let range = text.range(of: "\"time\":\"")
            {
                let time = String(text[range.upperBound...].prefix { $0 != "\"" })
                // The same report may be published anew for a new broker session, never another one with its time.
                #expect(time > lastTime || text == lastPosition)
                lastTime = time
                lastPosition = text
            }
            if message.topic.hasSuffix("/response"), text.contains("\"final\":true"),
                let id = Int(text.dropFirst("{\"id\":".count).prefix { $0.isNumber })
            {
                finals[id, default: 0] += 1
            }
        }
    }

    @Test(arguments: 0..<60)
    func walk(_ seed: UInt64) throws {
        var walk = Walk(random: SeededRandom(seed: seed))
        for _ in 0..<400 { step(&walk) }
        // Everything comes to its end: a broker to answer on, and the clock runs.
        walk.note(walk.script.run(.brokerConnected))
        for _ in 0..<40 { walk.note(walk.script.wait(10)) }
        walk.note(walk.script.run(.stopping))
        for id in 0..<walk.sent { #expect(walk.finals[id] == 1, "seed \(seed), command \(id)") }
        if seed < 6 {
            let prefix = "sondygo/test/".count
            let published = walk.messages.map { message in
                (
                    topic: String(message.topic.dropFirst(prefix)),
                    payload: String(decoding: message.payload, as: UTF8.self)
                )
            }
            #expect(try Schemas.violations(published) == [])
        }
    }

    private func step(_ walk: inout Walk) {
        let frames = [
            Script.searching, Script.configuration, Script.position("V1"), Script.position("V2"),
            Script.position("V1", latitude: "-47"),
            Script.position(latitude: "99"), "4/ab/o", "2/RS41/403.500/V1/117.5/100/0/4274/1/3.10/o",
            "0/M10/404.200/120/100/4200/1/3.10/o",
        ]
        let bodies = [
            "\"mute\":true", "\"mute\":false", "\"frequency\":404.2,\"type\":\"M10\"", "\"frequency\":403.5",
            "\"settings\":{\"rs41.rxbw\":1}", "\"settings\":{\"lcd\":1,\"lcdOn\":0}", "\"request\":\"settings\"",
            "\"nonsense\":1",
            "\"tune\":{\"save\":true}", "\"frequency\":1",
        ]
        switch Int.random(in: 0..<20, using: &walk.random) {
        case 0: walk.note(walk.script.run(.linkOpened(ReceiverPeer(name: "x", maximumWriteLength: 20))))
        case 1: walk.note(walk.script.run(.linkClosed(.transport(TransportError(.closedByPeer, "gone")))))
        case 2: walk.note(walk.script.run(.brokerConnected))
        case 3: if Int.random(in: 0..<4, using: &walk.random) == 0 { walk.note(walk.script.run(.brokerDisconnected)) }
        case 4, 5, 6:
            let body = "{\"id\":\(walk.sent),\(pick(bodies, &walk.random))}"
            walk.sent += 1
            walk.note(walk.script.command(body))
        case 7, 8:
            if let id = walk.openWrites.popLast() {
                walk.note(
                    walk.script.run(.writeFinished(id, succeeded: Int.random(in: 0..<5, using: &walk.random) > 0)))
            }
        case 9, 10: walk.note(walk.script.wait(Double.random(in: 0...20, using: &walk.random)))
        case 11: walk.note(walk.script.run(.timerFired(pick(TimerID.allCases, &walk.random))))
        case 12: walk.note(walk.script.run(.healthDue(ProcessHealth(residentBytes: 1))))
        case 13: walk.note(walk.script.run(.frameRejected(pick(FrameRejection.allCases, &walk.random))))
        default:
            walk.script.advance(Double.random(in: 0...2, using: &walk.random))
            walk.note(walk.script.frame(pick(frames, &walk.random)))
        }
    }

    private func pick<Element>(_ elements: [Element], _ random: inout SeededRandom) -> Element {
        elements[Int.random(in: elements.indices, using: &random)]
    }
}
