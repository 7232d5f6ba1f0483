import FlightMath
import Foundation
import GatewayTestSupport
import ReceiverProtocol
import Testing

@testable import Gateway
@testable import GatewayReports

/// The search for a sonde while nothing is heard.
@Suite struct SearchTests {
    /// A receiver that hears nothing, and confirms each tuning with its next frame.
    private struct Rig {
        var script: Script
        var frequency = 403.0
        var type = "RS41"
        /// The frequencies of the writes, in order.
        var tuned: [Double] = []
        var announced: [String] = []
        /// The last count of tunings for the store.
        var stored: String?

        init(
            _ plan: SearchPlan = .off, frequencySync: FrequencySyncPolicy = .off, isOnline: Bool = true,
            memory: [StoredSetting: String] = [:]
        ) {
            var policy = CommandPolicy()
            policy.search = plan
            var options = isOnline ? SondeHubOptions.payerne : .off
            options.frequencySync = frequencySync
            script = Script(policy: policy, sondeHub: options, memory: GatewayMemory(settings: memory))
            script.connect()
        }

        /// SondeHub shows these sondes: serial, frequency, altitude, climb.
        mutating func show(_ sondes: [(String, Double, Double, Double)]) {
            let records = sondes.map { serial, frequency, altitude, climb in
                var record = Script.record(serial, at: -4000, altitude: altitude, frequency: frequency)
                (record.verticalSpeed, record.horizontalSpeed) = (climb, 10)
                return record
            }
            note(script.answerPoll(records))
        }

        mutating func go(_ seconds: Int) {
            for _ in 0..<seconds {
                note(script.wait(1))
                note(
                    script.frame(
                        "0/\(type)/\(String(format: "%.3f", frequency))/120.5/100/4260/0/3.10/o"))
            }
        }

        mutating func note(_ outcome: Script.Outcome) {
            stored = outcome.entries.reduce(stored) { old, entry in
                if case .setting(.searchTunings, let text?) = entry { text } else { old }
            }
            announced += outcome.told(.searchFound).map(\.english)
            for text in outcome.written where text.contains("f=") {
                guard
                    let value = text.split(separator: "=").dropFirst().first?.prefix(while: { $0.isNumber || $0 == "." }
                    )
                else { continue }
                frequency = Double(value) ?? frequency
                tuned.append(frequency)
                if let tipo = text.split(separator: "tipo=").dropFirst().first?.first {
                    type = ["1": "RS41", "2": "M20", "3": "M10", "4": "PILOT", "5": "DFM"][String(tipo)] ?? type
                }
            }
            let next = script.takeWrites(outcome)
            if !next.actions.isEmpty { note(next) }
            // The receiver answers the request for its settings; tunings wait behind it.
            if outcome.written.contains(where: { $0.contains("?") }) { note(script.frame(Script.configuration)) }
        }

        mutating func command(_ text: String) -> [String] {
            let outcome = script.command(text)
            note(outcome)
            return outcome.answers
        }

        var isOn: Bool { script.machine.tuning.search.progress.isOn }
    }

    private static let three: [(String, Double, Double, Double)] = [
        ("V1", 403.7, 9000, 5), ("V2", 404.2, 15_000, 5), ("V3", 405.1, 25_000, 5),
    ]

    /// The search tries the highest sonde first, but one that climbs above 20 km last. It listens for 8 s after each
    /// confirmation.
    @Test func theSearchSteps() {
        var rig = Rig()
        rig.show(Self.three)
        #expect(rig.command(#"{"search":true}"#) == ["done!"])
        rig.go(40)
        #expect(rig.tuned == [404.2, 403.7, 405.1])
        #expect(rig.isOn)
        // Nothing is new: the next round begins 5 minutes later.
        rig.go(240)
        #expect(rig.tuned.count == 3)
        rig.go(120)
        #expect(rig.tuned.count == 6)
        #expect(rig.command(#"{"search":false}"#) == ["done!"])
        rig.go(600)
        #expect(rig.tuned.count == 6 && !rig.isOn)
    }

    /// A frame with a position, or with only a name, ends the search.
    @Test(arguments: [
        Script.position("V4210150", frequency: "404.200"), "2/RS41/404.200/V4210150/117.5/100/0/4274/0/3.10/o",
    ])
    func aHeardSondeEndsTheSearch(_ frame: String) {
        var rig = Rig()
        rig.show(Self.three)
        _ = rig.command(#"{"search":true}"#)
        rig.go(5)
        rig.note(rig.script.frame(frame))
        #expect(rig.announced == ["The receiver hears a sonde on 404.2 megahertz, type RS41."])
        #expect(!rig.isOn)
        let count = rig.tuned.count
        rig.go(600)
        #expect(rig.tuned.count == count)
    }

    /// A user's tuning, a hunt or the loss of the link ends the search. A new command `search` begins it again.
    @Test(arguments: [#"{"frequency":402.5,"type":"RS41"}"#, #"{"hunt":"V1"}"#]) func othersEndTheSearch(
        _ command: String
    ) {
        var rig = Rig()
        rig.show(Self.three)
        _ = rig.command(#"{"search":true}"#)
        rig.go(3)
        _ = rig.command(command)
        #expect(!rig.isOn)
        // The user's tuning is written behind the one that is on its way.
        let count = rig.tuned.count { $0 != 402.5 }
        rig.go(60)
        #expect(rig.tuned.count { $0 != 402.5 } == count)
        _ = rig.command(#"{"search":true}"#)
        rig.go(3)
        #expect(rig.tuned.count { $0 != 402.5 } > count)
        rig.script.closeLink()
        #expect(!rig.isOn)
    }

    /// The sonde is heard on the old frequency while the next tuning is on its way. The receiver is tuned back.
    @Test func theSearchComesBackToAHeardSonde() {
        var rig = Rig()
        rig.show(Self.three)
        rig.note(rig.script.command(#"{"search":true}"#))
        #expect(rig.tuned == [404.2])
        rig.note(rig.script.frame(Script.position("V4210150", frequency: "403.000")))
        #expect(rig.announced == ["The receiver hears a sonde on 403 megahertz, type RS41."])
        rig.go(20)
        #expect(rig.tuned == [404.2, 403] && !rig.isOn)
    }

    /// The configured search begins without a command, also without a network.
    @Test(arguments: [true, false]) func theConfiguredSearch(_ isOnline: Bool) throws {
        var rig = Rig(try #require(SearchPlan("403.5 RS41, 404.5 M20")), isOnline: isOnline)
        rig.show([])
        rig.go(60)
        #expect(rig.tuned.prefix(2) == [403.5, 404.5])
        #expect(rig.isOn)
        // A user's tuning ends the search until the next link.
        _ = rig.command(#"{"frequency":402.5,"type":"RS41"}"#)
        rig.go(900)
        #expect(rig.tuned.last == 402.5)
        rig.script.closeLink()
        rig.script.openLink()
        rig.go(30)
        #expect(rig.tuned.last != 402.5)
    }

    /// The configured search steps through sondes that only SondeHub hears, and no proposal comes in between. A hunted
    /// sonde, also one that the receiver has heard, keeps the receiver on its frequency.
    @Test func theConfiguredSearchLeavesHuntedSondes() {
        var rig = Rig(.sondes, frequencySync: .propose)
        rig.show(Self.three)
        rig.go(100)
        #expect(Set(rig.tuned) == [404.2, 403.7, 405.1], "\(rig.tuned)")
        #expect(rig.script.proposal == nil)
        rig.note(rig.script.frame(Script.position("V2", frequency: "404.200")))
        let count = rig.tuned.count
        rig.frequency = 404.2
        rig.go(1200)
        #expect(rig.tuned.count == count && !rig.isOn)
    }

    /// While a proposal is open, a search is refused. After the deferral a search can begin.
    @Test func aProposalStands() {
        var rig = Rig(frequencySync: .propose)
        rig.show([("V1", 403.7, 9000, 5)])
        rig.go(2)
        #expect(rig.script.proposal?.tuning.frequencyMHz == 403.7)
        #expect(rig.command(#"{"search":true}"#) == ["rejected:unavailable!"])
        #expect(rig.script.proposal != nil && rig.tuned.isEmpty)
        #expect(rig.command(#"{"accept_proposal":false}"#) == ["done!"])
        #expect(rig.command(#"{"search":true}"#) == ["done!"])
        rig.go(3)
        #expect(rig.tuned == [403.7], "\(rig.script.machine.tuning.search)")
        #expect(rig.script.proposal == nil)
    }

    /// The order: sondes around, the configured list, the launch site's.
    @Test func theSitesFrequenciesComeLast() throws {
        var site = LaunchSite(
            "06610", name: "Payerne", coordinate: Coordinate(latitude: 46.81, longitude: 6.94), altitudeMetres: 490,
            times: [])
        site.tunings = [try #require(Tuning(frequencyMHz: 404.3, sondeType: .rs41))]
        var book = LaunchBook()
        (book.sites, book.fetchedAt) = ([site], WallTime(millisecondsSince1970: Script.noon))
        var rig = Rig(try #require(SearchPlan("404.5 M20")), memory: [.launchSites: try #require(book.stored)])
        rig.show(Self.three)
        rig.go(120)
        // The first round began before the list of sondes was known.
        #expect(rig.tuned.dropFirst(3).prefix(5) == [404.2, 403.7, 405.1, 404.5, 404.3])
    }

    /// After a restart the day's tunings still count.
    @Test func aRestartSparesTheFlash() throws {
        let full = "\(Script.noon - 3_600_000) 398"
        var rig = Rig(try #require(SearchPlan("403.5 RS41, 404.5 M20")), memory: [.searchTunings: full])
        rig.show([])
        rig.go(3600)
        #expect(rig.tuned == [403.5])
        #expect(rig.stored == "{\"began\":\(Script.noon - 3_600_000),\"count\":399}")
        rig.go(23 * 3600)
        #expect(rig.tuned.count > 2)
    }

    @Test func theSearchSparesTheFlash() {
        var rig = Rig()
        let many = (0..<60).map { ("V\($0 + 1)", 400.5 + Double($0) * 0.05, 9000.0, 5.0) }
        rig.show(many)
        _ = rig.command(#"{"search":true}"#)
        var inMinutes: [Int] = []
        for _ in 0..<10 {
            let before = rig.tuned.count
            rig.go(60)
            inMinutes.append(rig.tuned.count - before)
        }
        #expect(inMinutes.allSatisfy { $0 <= SearchBudget.mostPerMinute })
        rig.go(9 * 3600)
        #expect(rig.tuned.count <= SearchBudget.mostPerDay)
    }

    @Test func refusals() {
        var rig = Rig()
        #expect(rig.command(#"{"search":2}"#) == ["rejected:wrong_type!"])
        rig.script.closeLink()
        #expect(rig.command(#"{"search":true}"#) == ["rejected:receiver_offline!"])
        var alone = Rig(isOnline: false)
        #expect(alone.command(#"{"search":true}"#) == ["rejected:unavailable!"])
        var heard = Rig()
        for _ in 0..<4 {
            heard.script.wait(1)
            heard.script.frame(Script.position())
        }
        #expect(heard.command(#"{"search":true}"#) == ["rejected:unavailable!"])
    }

    /// A text of the configuration -> its tunings; nil if it is refused.
    @Test(
        arguments: [
            ("403.5 RS41", [403.5]), ("403.5 RS41, 404.25 m20", [403.5, 404.25]), ("sondes", []), ("", nil),
            ("403.5", nil), ("403.5 RS41,", nil), ("403.5 iMet-4", nil), ("x RS41", nil), ("nan RS41", nil),
        ] as [(String, [Double]?)])
    func plans(_ text: String, _ frequencies: [Double]?) {
        let plan = SearchPlan(text)
        switch plan {
        case .sondes: #expect(frequencies == [])
        case .list(let list): #expect(list.map(\.frequencyMHz) == frequencies)
        case .off, nil: #expect(frequencies == nil)
        }
    }
}
