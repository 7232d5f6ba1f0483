import Foundation
import GatewayTestSupport
import ReceiverProtocol
import Testing

@testable import FlightMath
@testable import Gateway
@testable import GatewayReports

/// The report `signal`: how strong the receiver hears a sonde, with or without a place.
@Suite struct SignalTests {
    /// A frame of each kind with this strength.
    private static func frame(_ kind: Int, _ rssi: Double, name: String = "V4210150", frequency: String = "403.500")
        -> String
    {
        switch kind {
        case 0: "0/RS41/\(frequency)/\(-rssi)/100/4260/0/3.10/o"
        case 1:
            "1/RS41/\(frequency)/\(name)/47.38/8.54/500/0/0.0/\(-rssi)/100/0/0/0/4274/0/0/0/0/3.10/o"
        default: "2/RS41/\(frequency)/\(name)/\(-rssi)/100/0/4260/0/3.10/o"
        }
    }

    private static func connected() -> Script {
        var script = Script()
        script.brokerConnected()
        script.openLink()
        return script
    }

    private static func signals(_ outcome: Script.Outcome) -> [SignalReport] {
        outcome.reports.compactMap { if case .signal(let report) = $0 { report } else { nil } }
    }

    /// Hears a frame a second.
    @discardableResult
    private static func hear(_ script: inout Script, _ seconds: Int, _ frame: (Int) -> String) -> SignalReport? {
        var last: SignalReport?
        for second in 0..<seconds {
            script.wait(1)
            last = signals(script.frame(frame(second))).last ?? last
        }
        return last
    }

    @Test(arguments: [0, 1, 2]) func eachRadioFrameGivesOne(kind: Int) throws {
        var script = Self.connected()
        let outcome = script.frame(Self.frame(kind, -101.5))
        let report = try #require(Self.signals(outcome).first)
        #expect(report.rssiDBm == -101.5 && report.meanDBm == -101.5 && report.peakDBm == -101.5)
        #expect(report.trend == nil && report.estimate == nil)
        #expect(report.serial?.canonical == (kind == 0 ? nil : "V4210150"))
        let message = try #require(outcome.messages(on: "/signal").first)
        #expect(message.qos == 0 && !message.isRetained && message.historyTopic == nil)
        #expect(message.object?["rssi_dbm"] as? Double == -101.5)
        #expect(message.object?["age_ms"] as? Int == 0)
    }

    /// The settings say nothing of a signal.
    @Test func theSettingsGiveNone() {
        var script = Self.connected()
        #expect(Self.signals(script.frame(Script.configuration)).isEmpty)
    }

    @Test func meanAndPeakHaveTheirSpans() throws {
        var script = Self.connected()
        Self.hear(&script, 1) { _ in Self.frame(2, -60) }
        var report = try #require(Self.hear(&script, 10) { Self.frame(2, $0 < 5 ? -110 : -100) })
        #expect(report.meanDBm == -100 && report.peakDBm == -60)
        report = try #require(Self.hear(&script, 180) { _ in Self.frame(2, -100) })
        #expect(report.peakDBm == -100)
    }

    /// Two sondes transmit in turn on one frequency: each has its own peak, and a frame without a name counts for the one
    /// that was named last.
    @Test func twoSondesInTurnHaveTheirOwnSignals() throws {
        var script = Self.connected()
        Self.hear(&script, 1) { _ in Self.frame(2, -70) }
        let other = try #require(Self.hear(&script, 1) { _ in Self.frame(2, -115, name: "V9990150") })
        #expect(other.serial?.canonical == "V9990150" && other.peakDBm == -115)
        let unnamed = try #require(Self.hear(&script, 1) { _ in Self.frame(0, -118) })
        #expect(unnamed.serial?.canonical == "V9990150" && unnamed.peakDBm == -115)
        let first = try #require(Self.hear(&script, 1) { _ in Self.frame(2, -120) })
        #expect(first.serial?.canonical == "V4210150" && first.peakDBm == -70)
    }

    /// After three minutes without a name the signal may be anybody's, and on another frequency at once.
    @Test func aNameIsForgotten() throws {
        var script = Self.connected()
        Self.hear(&script, 1) { _ in Self.frame(2, -70) }
        let still = try #require(Self.hear(&script, 170) { _ in Self.frame(0, -110) })
        #expect(still.serial != nil)
        let later = try #require(Self.hear(&script, 20) { _ in Self.frame(0, -110) })
        #expect(later.serial == nil && later.peakDBm == -110)
        Self.hear(&script, 1) { _ in Self.frame(2, -70) }
        let tuned = try #require(Self.hear(&script, 1) { _ in Self.frame(0, -119, frequency: "404.100") })
        #expect(tuned.serial == nil && tuned.peakDBm == -119)
    }

    /// After a silence the old values do not count any more.
    @Test func aSilenceEndsTheValues() throws {
        var script = Self.connected()
        Self.hear(&script, 5) { _ in Self.frame(2, -70) }
        script.wait(240)
        script.openLink()
        let report = try #require(Self.hear(&script, 1) { _ in Self.frame(2, -110) })
        #expect(report.meanDBm == -110 && report.peakDBm == -110)
    }

    /// Frames that arrive together after a pause give one report.
    @Test func aFloodGivesFewReports() {
        var script = Self.connected()
        var count = 0
        for _ in 0..<100 {
            script.advance(0.1)
            count += Self.signals(script.frame(Self.frame(2, -100))).count
        }
        #expect(count <= 13)
    }

    // MARK: - The trend

    /// Drives with frames whose strength changes by `step` dB a second, under fading.
    private static func drive(
        _ script: inout Script, _ seconds: Int, from start: Double, step: Double, speed: Double = 10
    ) -> SignalReport? {
        let fading = [0.0, 3, -2.5, 1, -4, 2, 4, -3.5, 0.5, -0.5]
        var last: SignalReport?
        for second in 0..<seconds {
            script.wait(1)
            script.fix(speed: speed)
            let value = start + step * Double(second) + fading[second % 10]
            last = signals(script.frame(frame(2, (value * 2).rounded() / 2))).last ?? last
        }
        return last
    }

    @Test(arguments: [(0.4, "rising"), (-0.4, "falling"), (0, "steady")])
    func theTrendIsThatOfTheDrive(_ step: Double, _ trend: String) throws {
        var script = Self.connected()
        let report = try #require(Self.drive(&script, 40, from: -100, step: step))
        #expect(report.trend?.rawValue == trend)
    }

    @Test func aShortDriveShowsNoTrend() throws {
        var script = Self.connected()
        let report = try #require(Self.drive(&script, 10, from: -100, step: 1))
        #expect(report.trend == nil)
    }

    /// A car at rest keeps the trend of its drive for the time that the peak lasts, and makes none.
    @Test func aCarAtRestKeepsTheTrendOfItsDrive() throws {
        var script = Self.connected()
        var report = Self.drive(&script, 60, from: -100, step: 1, speed: 0)
        #expect(report?.trend == nil)
        report = Self.drive(&script, 40, from: -110, step: 0.4)
        #expect(report?.trend == .rising)
        report = Self.drive(&script, 60, from: -95, step: 0, speed: 0)
        #expect(report?.trend == .rising)
        report = Self.drive(&script, 180, from: -95, step: 0, speed: 0)
        #expect(report?.trend == nil)
    }

    @Test func withoutACarThereIsNoTrend() throws {
        var script = Self.connected()
        _ = Self.drive(&script, 40, from: -100, step: 0.4)
        let report = try #require(Self.hear(&script, 15) { _ in Self.frame(2, -80) })
        #expect(report.trend == nil)
    }

    /// The clock is set in the middle of a drive: spans are measured on the monotonic clock.
    @Test func aClockThatIsSetChangesNothing() throws {
        var script = Script(isClockSynced: false)
        script.brokerConnected()
        script.openLink()
        _ = Self.drive(&script, 20, from: -100, step: 0.4)
        script.now.wall = script.now.wall.advanced(byMilliseconds: 7_200_000)
        script.now.isClockSynced = true
        let report = try #require(Self.drive(&script, 20, from: -92, step: 0.4))
        #expect(report.trend == .rising && report.peakDBm > -90)
        #expect(report.heardAt.wall == script.now.wall)
    }
}
