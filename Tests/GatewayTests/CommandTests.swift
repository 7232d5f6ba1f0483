import FlightMath
import Foundation
import GatewayTestSupport
import ReceiverProtocol
import TestSupport
import Testing

@testable import Gateway
@testable import GatewayReports

@Suite struct CommandTests {
    /// Refused bodies -> the code.
    @Test(arguments: [
        ("", "bad_json"), ("{", "bad_json"), ("nonsense", "bad_json"), ("[1]", "not_an_object"),
        // JSON readers differ about these.
        ("{\"mute\":true,}", "bad_json"), ("{\"mute\":true,\"mute\":false}", "bad_json"),
        ("{\"frequency\":404.2,\"frequency\":405.5}", "bad_json"), ("{\"settings\":{\"lcd\":0,\"lcd\":1}}", "bad_json"),
        ("{\"m\\u0075te\":true,\"mute\":true}", "bad_json"),
        ("{\"id\":\"\\ud800\",\"mute\":true}", "bad_json"), ("{\"id\":01,\"mute\":true}", "bad_json"),
        ("{\"id\":\"a\nb\",\"mute\":true}", "bad_json"), ("{'mute':true}", "bad_json"), ("{\"mute\":True}", "bad_json"),
        ("7", "not_an_object"),
        ("{}", "no_verb"), ("{\"id\":1}", "no_verb"), ("{\"reboot\":true}", "unknown_key"),
        ("{\"Re\":1}", "unknown_key"),
        ("{\"mute\":true,\"x\":1}", "unknown_key"), ("{\"mute\":true,\"frequency\":404}", "two_verbs"),
        ("{\"mute\":true,\"type\":\"RS41\"}", "two_verbs"), ("{\"mute\":2}", "wrong_type"),
        ("{\"mute\":\"loud\"}", "wrong_type"), ("{\"mute\":null}", "wrong_type"),
        ("{\"id\":true,\"mute\":true}", "wrong_type"),
        ("{\"frequency\":\"404 MHz\"}", "wrong_type"), ("{\"frequency\":399.999}", "out_of_range"),
        ("{\"frequency\":406.001}", "out_of_range"), ("{\"frequency\":404.2001}", "out_of_range"),
        ("{\"frequency\":1e999}", "bad_json"), ("{\"frequency\":-404}", "out_of_range"),
        ("{\"frequency\":404,\"type\":\"C50\"}", "out_of_range"), ("{\"frequency\":404,\"type\":7}", "wrong_type"),
        ("{\"request\":\"reboot\"}", "wrong_type"), ("{\"settings\":{}}", "wrong_type"),
        ("{\"settings\":{\"sleep\":1}}", "unknown_key"), ("{\"settings\":{\"rs41.rxbw\":20}}", "out_of_range"),
        ("{\"settings\":{\"rs41.rxbw\":\"four\"}}", "wrong_type"), ("{\"settings\":{\"rs41.rxbw\":4.5}}", "wrong_type"),
        ("{\"settings\":{\"rs41.rxbw\":99999999999999999999}}", "wrong_type"),
        ("{\"settings\":{\"myCall\":\"A{B\"}}", "out_of_range"),
        ("{\"settings\":{\"myCall\":\"TOOLONG99\"}}", "out_of_range"),
        ("{\"settings\":{\"vBatMin\":4000,\"vBatMax\":3500}}", "out_of_range"),
        ("{\"settings\":{\"vBatMax\":3000,\"vBatMin\":3000}}", "out_of_range"),
        ("{\"settings\":{\"blu\":0}}", "dangerous"), ("{\"settings\":{\"oled_sda\":21}}", "dangerous"),
        ("{\"settings\":{\"baud\":1}}", "dangerous"), ("{\"settings\":{\"com\":1}}", "dangerous"),
        ("{\"tune\":{\"save\":false}}", "wrong_type"), ("{\"tune\":{\"offset_hz\":10001}}", "out_of_range"),
        ("{\"tune\":{\"save\":true,\"offset_hz\":1}}", "wrong_type"), ("{\"hunt\":\"\"}", "wrong_type"),
        ("{\"landing_point\":{\"latitude\":91,\"longitude\":0}}", "out_of_range"),
        ("{\"landing_point\":{\"latitude\":1}}", "wrong_type"), ("{\"landing_point\":\"home\"}", "out_of_range"),
        ("{\"options\":{\"ascent_rate_mps\":0}}", "out_of_range"),
        ("{\"options\":{\"descent_rate_mps\":\"fast\"}}", "wrong_type"),
        ("{\"landing_point\":\"geo:47.1,8.2\"}", "no_sonde"), ("{\"predict\":false}", "wrong_type"),
        ("{\"options\":{}}", "wrong_type"), ("{\"accept_proposal\":2}", "wrong_type"),
        ("{\"accept_proposal\":true}", "no_proposal"), ("{\"hunt\":\"V4210150\"}", "unavailable"),
        ("{\"options\":{\"frequency_sync\":\"always\"}}", "out_of_range"),
        ("{\"options\":{\"language\":\"xx\"}}", "out_of_range"), ("{\"options\":{\"language\":1}}", "wrong_type"),
        ("{\"options\":{\"frequency_sync\":1}}", "wrong_type"), ("{\"options\":{\"speed\":1}}", "unknown_key"),
        ("{\"options\":{\"frequency_sync\":\"auto\"}}", "unavailable"), ("{\"predict\":true}", "unavailable"),
        ("{\"options\":{\"burst_altitude_m\":33000}}", "unavailable"),
        ("{\"landing_point\":{\"latitude\":47.1,\"longitude\":8.2}}", "no_sonde"),
        ("{\"tune\":{\"save\":true}}", "no_afc"),
        ("{\"a\":\"" + String(repeating: "x", count: 4096) + "\"}", "too_long"),
        (String(repeating: "[", count: 4000), "bad_json"), ("{\"mute\":true}\u{0}", "bad_json"),
    ])
    func refusals(_ body: String, _ code: String) {
        var script = Script()
        script.connect()
        let outcome = script.command(body)
        #expect(outcome.answers == ["rejected:\(code)!"])
        #expect(outcome.written.isEmpty)
        #expect(outcome.commandAnswers.first?.error?.message.isEmpty == false)
    }

    /// A refusal names the command if it is known.
    /// Editors begin a file with a mark, and `mosquitto_pub -f` sends it.
    @Test func aByteOrderMarkIsNoFault() {
        let decoder = CommandDecoder(policy: CommandPolicy())
        for text in ["{\"mute\":true}", "\u{FEFF}{\"mute\":true}"] {
            #expect(decoder.decode(Array(text.utf8)).verb == "mute")
        }
        #expect(decoder.decode(Array("\u{FEFF}ON".utf8), door: .mute) == decoder.decode(Array("ON".utf8), door: .mute))
    }

    /// Shells and word processors put other quotes.
    @Test(arguments: [
        ("{'mute':true}", "not valid JSON, which has double quotes; "), ("{“mute”:true}", "not valid JSON, which has"),
        ("{mute:true}", "not valid JSON; "), ("{\"mute\":'x'}", "not valid JSON; "),
    ])
    func otherQuotesAreNamed(_ text: String, _ begin: String) throws {
        let decoded = CommandDecoder(policy: CommandPolicy()).decode(Array(text.utf8))
        guard case .failure(let refusal) = decoded.command else { Issue.record("accepted"); return }
        #expect(refusal.message.hasPrefix(begin), "\(refusal.message)")
    }

    @Test(
        arguments: [
            ("command", "{\"frequency\":500}", "tune"), ("command", "{\"tune\":{}}", "frequency_offset"),
            ("command", "{\"mute\":true,\"type\":\"RS41\"}", nil), ("command", "[]", nil),
            ("mute/set", "maybe", "mute"), ("frequency/set", "x", "tune"),
        ] as [(String, String, String?)])
    func refusalsNameTheCommand(_ topic: String, _ body: String, _ name: String?) throws {
        var script = Script()
        script.connect()
        let answer = try #require(script.command(body, topic: topic).objects(on: "/command/response").first)
        #expect(answer["command"] as? String == name)
        #expect(answer["status"] as? String == "rejected")
    }

    /// Accepted bodies -> the first write.
    @Test(arguments: [
        ("{\"frequency\":404.2,\"type\":\"RS41\"}", "o{f=404.20/tipo=1}o"),
        ("{\"frequency\":404.2}", "o{f=404.20/tipo=1}o"),
        ("{\"type\":\"M10\"}", "o{f=403.50/tipo=3}o"), ("{\"mute\":true}", "o{mute=1}o"),
        ("{\"request\":\"settings\"}", "o{?}o"), ("{\"tune\":{\"offset_hz\":-1200}}", "o{freqofs=-1200}o"),
        ("{\"settings\":{\"rs41.rxbw\":4,\"myCall\":\"HB9XYZ\"}}", "o{myCall=HB9XYZ/rs41.rxbw=4}o"),
        ("{\"settings\":{\"rs41.rxbw\":4.0}}", "o{rs41.rxbw=4}o"), ("{\"id\":\"a\",\"mute\":false}", "o{mute=0}o"),
        ("\n{ \"m\\u0075te\" : true , \"id\" : \"\\ud83d\\udE80\" }\r\n", "o{mute=1}o"),
        ("{\"frequency\":4.042e2}", "o{f=404.20/tipo=1}o"),
    ])
    func accepted(_ body: String, _ write: String) {
        var script = Script()
        script.connect()
        let outcome = script.command(body)
        #expect(outcome.answers == ["accepted"])
        #expect(outcome.written == [write])
    }

    /// What reports and plain topics say is also a command -> the first write.
    @Test(arguments: [
        ("{\"frequency_mhz\":404.2,\"sonde_type\":\"M10\"}", "o{f=404.20/tipo=3}o"),
        ("{\"frequency\":\"404.2\"}", "o{f=404.20/tipo=1}o"), ("{\"id\":null,\"mute\":\"ON\"}", "o{mute=1}o"),
        ("{\"mute\":0}", "o{mute=0}o"), ("{\"mute\":\"false\"}", "o{mute=0}o"),
        ("{\"settings\":{\"rs41_rxbw\":4,\"callsign\":\"HB9XYZ\"}}", "o{myCall=HB9XYZ/rs41.rxbw=4}o"),
        ("{\"settings\":{\"rs41.rxbw\":\"4\"}}", "o{rs41.rxbw=4}o"),
        ("{\"settings\":{\"lcd_on\":true}}", "o{lcdOn=1}o"),
        ("{\"settings\":{\"frequency_offset_hz\":-1200}}", "o{freqofs=-1200}o"),
        ("{\"tune\":{\"frequency_offset_hz\":\"-1200\"}}", "o{freqofs=-1200}o"),
        ("{\"tune\":{\"frequency\":404.2,\"type\":\"M10\"}}", "o{f=404.20/tipo=3}o"),
        ("{\"sonde_frequency_mhz\":404.2}", "o{f=404.20/tipo=1}o"), ("{\"request\":\"Settings\"}", "o{?}o"),
        ("{\"settings\":{\"rs41_rxbw_khz\":6.3}}", "o{rs41.rxbw=4}o"),
        ("{\"settings\":{\"callsign\":\"hb9xyz\"}}", "o{myCall=HB9XYZ}o"),
    ])
    func oneVocabulary(_ body: String, _ write: String) {
        var script = Script()
        script.connect()
        let outcome = script.command(body)
        #expect(outcome.answers == ["accepted"])
        #expect(outcome.written == [write])
    }

    /// What reports say of a place or a state, and what people type for an end or a word.
    @Test(
        arguments: [
            (
                #"{"landing_point":{"latitude":47.1,"longitude":8.2,"altitude_m":500.0,"time":"2026-11-22T15:14:56.783Z"}}"#,
                .landingPoint(Coordinate(latitude: 47.1, longitude: 8.2))
            ), (#"{"landing_point":false}"#, .landingPoint(nil)), (#"{"hunt":false}"#, .hunt(nil)),
            (#"{"recovery":"Not found"}"#, .recovery(RecoveryOrder(state: .notFound, note: ""))),
            (#"{"recovery":false}"#, .recovery(nil)), (#"{"route":"BIKE"}"#, .routeMode(.bike)),
            (#"{"log_level":"DEBUG"}"#, .logLevel(.debug)), (#"{"forget":"HomeAssistant"}"#, .forgetHomeAssistant),
            (#"{"request":"STATUS"}"#, .reportStatus),
        ] as [(String, GatewayOrder)])
    func ordersForTheGateway(_ body: String, _ order: GatewayOrder) throws {
        let decoded = CommandDecoder(policy: CommandPolicy()).decode(Array(body.utf8))
        #expect(try decoded.command.get() == .gateway(order))
    }

    /// Bodies -> what their refusal says.
    @Test(arguments: [
        ("{\"frequncy\":404.2}", "did you mean \"frequency\"?"), ("{\"hunted\":\"V1\"}", "did you mean \"hunt\"?"),
        ("{\"settings\":{\"rs41_rxbv\":4}}", "did you mean \"rs41_rxbw\"?"),
        ("{\"options\":{\"langauge\":\"de\"}}", "did you mean \"language\"?"),
        ("{\"callsign\":\"HB9XYZ\"}", "did you mean {\"settings\":{\"callsign\":…}}?"),
        ("{\"language\":\"de\"}", "did you mean {\"options\":{\"language\":…}}?"),
        ("{\"status\":true}", "did you mean {\"request\":\"status\"}?"),
        ("{\"lat\":47.1,\"lon\":8.2}", "did you mean {\"landing_point\":{"),
        ("{\"settings\":{\"rs41_rxbw_khz\":6}}", "one of 2.6, 3.1"),
        ("{\"serial\":\"V4210150\"}", "did you mean {\"hunt\":"), ("{\"freq\":404.2}", "did you mean \"frequency\"?"),
        ("{\"settings\":{\"frequency\":404.2}}", "did you mean {\"frequency\":…} without settings?"),
        ("{\"options\":{\"ascent_rate\":5}}", "did you mean \"ascent_rate_mps\"?"),
        ("{\"options\":{\"site\":\"-\"}}", "number of the station as a text"),
        ("404.2", "the topic frequency/set, here it is {\"frequency\":404.2}"),
        ("ON", "the topic mute/set, here it is {\"mute\":true}"),
        ("rs41", "the topic sonde_type/set, here it is {\"type\":\"RS41\"}"),
        ("{\"frequency\":404.2,\"frequency_mhz\":404.3}", "stands twice, by two names"),
        ("{\"settings\":{\"rs41.rxbw\":4,\"rs41_rxbw\":5}}", "stands twice, by two names"),
        ("{\"hunt\":\"403.5\"}", "such as V4210150"), ("{\"hunt\":\"Berlin\"}", "such as V4210150"),
        ("{\"options\":{\"site\":6610}}", "number of the station as a text"),
    ])
    func refusalsSayWhatIsAccepted(_ body: String, _ text: String) {
        var script = Script()
        script.connect()
        let message = script.command(body).commandAnswers.first?.error?.message ?? ""
        #expect(message.contains(text), "\(message)")
    }

    /// Five options in one command.
    @Test func severalOptionsAtOnce() throws {
        var script = Script(sondeHub: .payerne, prediction: .onlineOnly)
        script.connect()
        let body =
            "{\"options\":{\"burst_altitude_m\":33000,\"ascent_rate_mps\":5,\"descent_rate_mps\":6,"
            + "\"site\":\"10393\",\"language\":\"it\"}}"
        let answer = try #require(script.command(body).commandAnswers.first)
        #expect(answer.status == .done)
        #expect(
            answer.applied == [
                "burst_altitude_m": .number(33_000), "ascent_rate_mps": .number(5), "descent_rate_mps": .number(6),
                "site": "10393", "language": "it",
            ])
        #expect(script.machine.sondeHub.site.value.number == "10393")
        #expect(script.command("{\"options\":{\"site\":null}}").answers == ["done!"])
        #expect(script.machine.sondeHub.site.value.number == "06610")
        // One wrong option, and none is changed.
        let half = "{\"options\":{\"language\":\"de\",\"burst_altitude_m\":1}}"
        #expect(script.command(half).answers == ["rejected:out_of_range!"])
        #expect(script.machine.language.value == .italian)
    }

    /// `{"request":"status"}` answers with the sentence.
    @Test func theStatusIsInTheAnswer() throws {
        var script = Script()
        script.connect()
        let outcome = script.command("{\"request\":\"status\"}")
        let answer = try #require(outcome.commandAnswers.first)
        #expect(outcome.announcements.count == 1)
        let text: String? = if case .string(let text)? = answer.applied?["text"] { text } else { nil }
        #expect(text?.hasSuffix(".") == true)
    }

    @Test func withoutALinkEverythingIsRefusedAtOnce() {
        var script = Script()
        script.brokerConnected()
        for body in ["{\"mute\":true}", "{\"frequency\":404}", "{\"request\":\"settings\"}"] {
            #expect(script.command(body).answers == ["rejected:receiver_offline!"])
        }
    }
}
