import GatewayTestSupport
import ReceiverProtocol
import Testing

@testable import Gateway
@testable import GatewayReports
@testable import MQTTPublishing

/// The sonde and its landing point as friends on a phone.
@Suite struct OwnTracksFriendsTests {
    private static let options = OwnTracksOptions(user: "sonde", device: "car1")

    private func flying() -> Script {
        var script = Script(ownTracks: Self.options)
        script.connect()
        return script
    }

    @Test func aPositionIsALocation() throws {
        var script = flying()
        let outcome = script.frame(Script.position(altitude: 1000, speed: 10))
        let message = try #require(outcome.messages(on: "owntracks/sonde/car1").first)
        #expect(message.isRetained && message.qos == 1)
        let object = try #require(message.object)
        #expect(object["_type"] as? String == "location")
        #expect(object["tid"] as? String == "V4")
        #expect(object["lat"] as? Double == 47.38)
        #expect(object["lon"] as? Double == 8.54)
        #expect(object["alt"] as? Int == 1000)
        #expect(object["acc"] as? Int == 10)
        // 10 km/h.
        #expect(object["vel"] as? Int == 10)
        #expect(object["tst"] as? Int == Int(Script.noon / 1000))
        #expect(object["topic"] as? String == "owntracks/sonde/car1")
        let card = try #require(outcome.objects(on: "owntracks/sonde/car1/info").first)
        #expect(card["_type"] as? String == "card")
        #expect(card["name"] as? String == "V4210150")
    }

    /// A place is published at most every five seconds, and the newest one in the end.
    @Test func thePace() {
        var script = flying()
        var times: [Int] = []
        for second in 0..<21 {
            let outcome = script.frame(Script.position(altitude: 1000 + second)) + script.wait(1)
            times += outcome.objects(on: "owntracks/sonde/car1").compactMap { $0["alt"] as? Int }
        }
        times += script.wait(5).objects(on: "owntracks/sonde/car1").compactMap { $0["alt"] as? Int }
        #expect(times.count <= 6 && times.count >= 5, "\(times)")
        #expect(times.last == 1020)
    }

    @Test func theLandingPointIsAnotherDeviceAndIsRemoved() throws {
        var script = flying()
        script.frame(Script.position(altitude: 1000))
        let set = script.command(#"{"landing_point":{"latitude":47.1,"longitude":8.2}}"#)
        let object = try #require(set.objects(on: "owntracks/sonde/car1-landing").first)
        #expect(object["lat"] as? Double == 47.1)
        #expect(object["tid"] as? String == "LP")
        let card = try #require(set.objects(on: "owntracks/sonde/car1-landing/info").first)
        #expect(card["name"] as? String == "V4210150 landing")
        let gone = script.command(#"{"landing_point":null}"#)
        #expect(gone.messages(on: "car1-landing").map(\.payload) == [[]])
        #expect(gone.messages(on: "car1-landing/info").map(\.payload) == [[]])
    }

    /// If only the landing point of another sonde is known, the old sonde's place is not published as its place.
    @Test func aPlaceIsOfOneSonde() throws {
        var script = Script(sondeHub: SondeHubOptions.payerne, prediction: .onlineOnly, ownTracks: Self.options)
        script.brokerConnected()
        script.run(.linkFailed(TransportError(.notFound, "no adapter")))
        script.answerPoll([Script.record("V1"), Script.record("V2", at: -5)])
        script.command(#"{"landing_point":{"latitude":47.2,"longitude":8.2}}"#)
        script.command(#"{"hunt":"V2"}"#)
        script.answerPoll([Script.record("V1", at: 1, latitude: 48), Script.record("V2", at: 1, latitude: 46)])
        #expect(script.serial == "V2")
        let back = script.command(#"{"hunt":"V1"}"#) + script.wait(6)
        let told = back.messages(on: "owntracks/sonde/car1").compactMap(\.object)
        #expect(told.allSatisfy { $0["lat"] as? Double != 46 }, "\(told)")
    }

    /// A landing point that is removed while there is no session is cleared at the broker later.
    @Test(arguments: [false, true]) func aLandingPointRemovedWithoutASessionIsClearedLater(_ wasTold: Bool) {
        var script = flying()
        script.frame(Script.position(altitude: 1000))
        let place = #"{"landing_point":{"latitude":47.1,"longitude":8.2}}"#
        if wasTold { script.command(place) }
        script.brokerDisconnected()
        let onThePage = { (body: String) in
            GatewayEvent.command(IncomingCommand(body: Array(body.utf8), door: .any, reply: .page(1)))
        }
        if !wasTold { script.run(onThePage(place)) }
        script.run(onThePage(#"{"landing_point":null}"#))
        let again = script.brokerConnected()
        #expect(again.messages(on: "car1-landing").map(\.payload) == [[]])
        #expect(again.messages(on: "car1-landing/info").map(\.payload) == [[]])
        #expect(script.wait(30).messages(on: "car1-landing").isEmpty)
    }

    /// After a connect everything is published again; without the option nothing is.
    @Test func sessions() {
        var script = flying()
        script.frame(Script.position(altitude: 1000))
        script.brokerDisconnected()
        script.frame(Script.position(altitude: 1001))
        let again = script.brokerConnected()
        #expect(again.objects(on: "owntracks/sonde/car1").compactMap { $0["alt"] as? Int } == [1001])
        #expect(again.messages(on: "car1/info").contains { $0.topic == "owntracks/sonde/car1/info" })
        var without = Script()
        without.connect()
        let outcome = without.frame(Script.position(altitude: 1000)) + without.wait(10)
        #expect(!outcome.published.contains { $0.topic.hasPrefix("owntracks") })
    }
}
