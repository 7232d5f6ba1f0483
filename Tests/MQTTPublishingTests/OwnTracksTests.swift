import GatewayTestSupport
import Testing

@testable import FlightMath
@testable import Gateway
@testable import GatewayReports

/// A phone's messages on the broker.
@Suite struct OwnTracksTests {
    private static let topic = "owntracks/crew/phone1"

    private func script() -> Script {
        var script = Script(ownTracksTopic: Self.topic)
        script.brokerConnected()
        return script
    }

    private func location(_ script: Script, age: Int = 0, more: String = "") -> String {
        let seconds = script.now.wall.wholeSeconds - Int64(age)
        return "{\"_type\":\"location\",\"lat\":47.1,\"lon\":8.2,\"acc\":7,\"alt\":430,\"vel\":36,\"cog\":90,"
            + "\"tst\":\(seconds)\(more)}"
    }

    private func receive(_ script: inout Script, _ text: String, isRetained: Bool = false) {
        script.receive(IncomingMessage(topic: Self.topic, payload: Array(text.utf8), isRetained: isRetained))
    }

    @Test func aLocation() throws {
        var script = script()
        receive(&script, location(script, more: ",\"tid\":\"p1\",\"conn\":\"m\""))
        let car = try #require(script.chase?.car)
        #expect(car.source == .owntracks && car.coordinate == Coordinate(latitude: 47.1, longitude: 8.2))
        #expect(car.speed == 10 && car.courseDegrees == 90 && car.accuracyMetres == 7 && car.altitudeMetres == 430)
    }

    /// The age of a retained message is that of its own time.
    @Test(arguments: [(30, true), (61, false), (-86_400, false)])
    func retainedPositionsCountByTheirTime(_ age: Int, _ counts: Bool) {
        var script = script()
        receive(&script, location(script, age: age), isRetained: true)
        #expect((script.chase?.car != nil) == counts)
    }

    /// On MQTT 3.1.1 a message of the first second may be an old retained one.
    @Test func perhapsRetainedPositionsAreNotUsed() {
        var script = Script(ownTracksTopic: Self.topic, isClockSynced: false)
        script.brokerConnected()
        script.receive(
            IncomingMessage(topic: Self.topic, payload: Array(location(script).utf8), mayBeRetained: true))
        #expect(script.chase?.car == nil)
    }

    /// Other messages on the topic are ignored.
    @Test(arguments: [
        "", "null", "[]", "{}", "{\"_type\":\"transition\",\"lat\":47,\"lon\":8}",
        "{\"_type\":\"encrypted\",\"data\":\"x\"}",
        "{\"_type\":\"location\"}", "{\"_type\":\"location\",\"lat\":\"47\",\"lon\":8}",
        "{\"_type\":\"location\",\"lat\":147,\"lon\":8}",
        "{\"_type\":\"location\",\"lat\":47,\"lon\":8,\"tst\":-5e300}",
        "{\"_type\":\"location\",\"lat\":47,\"lon\":8,\"acc\":101}",
        "{\"_type\":\"location\",\"lat\":47,\"lon\":8,\"tst\":1}",
    ])
    func noFix(_ text: String) {
        var script = script()
        receive(&script, text, isRetained: text.contains("-5e300"))
        #expect(script.chase?.car == nil)
        #expect(script.announcements.isEmpty)
    }

    /// A phone that encrypts, a program that publishes texts, and anything else on the topic: the log says it once after
    /// 30 s, and `health` counts it.
    @Test(
        arguments: [
            ("{\"_type\":\"encrypted\",\"data\":\"x\"}", CarFixRefusal.encrypted),
            ("{\"_type\":\"location\",\"lat\":\"47.1\",\"lon\":\"8.2\"}", .unreadable),
            ("{\"_type\":\"location\"}", .unreadable), ("47.1,8.2", .unreadable), ("{}", .unreadable),
        ])
    func aMessageWithoutAPlaceIsReported(_ text: String, _ reason: CarFixRefusal) {
        var script = script()
        var told: [GatewayNote] = []
        for _ in 0..<5 {
            let message = IncomingMessage(topic: Self.topic, payload: Array(text.utf8))
            told += script.receive(message).notes.filter { $0.level == .warning }
            script.wait(20)
        }
        #expect(told.count == 1 && "\(told.map(\.facts))".contains(reason.sentence(for: .owntracks)))
        #expect(script.health()?.car.refused == [reason: 5])
    }

    /// The app's other messages are no fault.
    @Test(arguments: ["", "{\"_type\":\"lwt\",\"tst\":1}", "{\"_type\":\"transition\",\"lat\":47,\"lon\":8}"])
    func otherMessagesOfTheAppAreNotRefused(_ text: String) {
        var script = script()
        receive(&script, text)
        #expect(script.health()?.car.refused == [:])
    }

    /// A location with a photo of the user.
    @Test func sixtyKilobytes() {
        var script = script()
        let filler = String(repeating: "x", count: 60_000)
        receive(&script, location(script, more: ",\"image\":\"\(filler)\""))
        #expect(script.chase?.car?.source == .owntracks)
    }

    @Test func otherTopicsAreIgnored() {
        var script = Script()
        script.brokerConnected()
        receive(&script, location(script))
        #expect(script.chase?.car == nil)
    }
}
