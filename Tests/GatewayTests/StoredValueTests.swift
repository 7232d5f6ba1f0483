import FlightMath
import GatewayReports
import GatewayTestSupport
import ReceiverProtocol
import Testing

@testable import Gateway

/// Stored settings are JSON. The texts of versions before 1.0.0 are read, too.
@Suite struct StoredValueTests {
    private static let time = WallTime(millisecondsSince1970: 1_767_268_800_000)

    /// An earlier text and the stored form mean the same.
    private static func expect<Value: StoredValue>(
        _ value: Value, _ stored: String, earlier: String, isSame: (Value, Value) -> Bool
    ) throws {
        #expect(value.stored == stored)
        for text in [stored, earlier] {
            let read = try #require(Value(stored: text), "\(text)")
            #expect(isSame(read, value), "\(text)")
        }
    }

    @Test func textsOfAnEarlierVersionAreRead() throws {
        let serial = try #require(SondeSerial(name: "LMS6 12", type: .other("")))
        let other = try #require(SondeSerial(name: "501-1-00017", type: .m20))
        try Self.expect(StoredNumber(value: 31_000.5), #"{"value":31000.5}"#, earlier: "31000.50") {
            $0.value == $1.value
        }
        try Self.expect(StoredCallSign(callSign: "HB9ABC"), #"{"callSign":"HB9ABC"}"#, earlier: "HB9ABC") {
            $0.callSign == $1.callSign
        }
        try Self.expect(StoredPolicy(policy: "auto"), #"{"policy":"auto"}"#, earlier: "auto") {
            $0.policy == $1.policy
        }
        try Self.expect(
            StoredHunt(serial: serial, at: Self.time), #"{"at":1767268800000,"serial":"LMS6 12"}"#,
            earlier: "LMS6 12 1767268800000"
        ) { $0.serial == $1.serial && $0.at == $1.at }
        try Self.expect(
            SilentLanding(of: serial, lastHeard: Self.time.advanced(byMilliseconds: 7)),
            #"{"lastHeard":1767268800000,"serial":"LMS6 12"}"#, earlier: "LMS6 12 1767268800000"
        ) { $0 == $1 }
        try Self.expect(
            StoredChoice(commanded: "it", configured: "en"), #"{"commanded":"it","configured":"en"}"#, earlier: "it en"
        ) { $0.commanded == $1.commanded && $0.configured == $1.configured }
        try Self.expect(
            StoredNames(atReceiver: serial, onSondeHub: other),
            #"{"atReceiver":"LMS6 12","onSondeHub":"501-1-00017"}"#, earlier: "LMS6 12\t501-1-00017"
        ) { $0.atReceiver == $1.atReceiver && $0.onSondeHub == $1.onSondeHub }
        try Self.expect(
            AnnouncedCrews(serial: serial, crews: ["HB9ABC", "A B"]),
            #"{"crews":["HB9ABC","A B"],"serial":"LMS6 12"}"#, earlier: "LMS6 12\tHB9ABC\tA B"
        ) { $0.serial == $1.serial && $0.crews == $1.crews }
        try Self.expect(
            StoredTunings(began: Self.time, count: 12), #"{"began":1767268800000,"count":12}"#,
            earlier: "1767268800000 12"
        ) { $0.began == $1.began && $0.count == $1.count }
        let place = StoredPlace(serial, Coordinate(latitude: 47.1, longitude: 8.2), at: Self.time)
        try Self.expect(
            StoredPlaceList(places: ReadableList([place])),
            #"{"places":[{"at":1767268800000,"isHidden":false,"place":{"latitude":47.1,"longitude":8.2},"#
                + #""serial":"LMS6 12"}]}"#,
            earlier: "nonsense\nLMS6 12 47.1 8.2 1767268800000"
        ) { $0.places.elements == $1.places.elements }
    }

    /// The sites and the reports of recovery were JSON before.
    @Test func earlierJSONIsRead() throws {
        let book = try #require(
            LaunchBook(
                stored:
                    #"{"at":1767268800000,"area":{"radius_m":50000,"latitude":47,"longitude":8},"sites":[{"id":"1","#
                    + #""name":"Pad","latitude":46.8,"longitude":6.9,"altitude_m":490,"times":["0:12:0",7,"x"],"#
                    + #""burst":30000,"tunings":["404.5 M20"]},{"id":"2"},null],"told":["1 5",3]}"#))
        let site = try #require(book.sites.first)
        #expect(book.sites.count == 1 && book.fetchedAt == Self.time && site.times.count == 1)
        #expect(site.burstAltitudeMetres == 30_000 && site.ascentRate == nil && site.tunings.count == 1)
        #expect(book.area?.centre == Coordinate(latitude: 47, longitude: 8) && book.area?.site == nil)
        #expect(LaunchBook(stored: try #require(book.stored)) == book)
        let stored = try #require(
            StoredRecoveries(
                stored: #"{"queue":[{"serial":"V1","state":"planned","by":"HB9ABC","note":"","at":1767268800000,"#
                    + #""latitude":47,"longitude":8,"altitude_m":400,"tried":true,"dated":false}],"told":["x"]}"#))
        let report = try #require(stored.queue.elements.first)
        #expect(report.isTried && !report.isDated && report.recovery.state == .planned)
        #expect(report.recovery.time == Self.time && report.recovery.coordinate?.latitude == 47)
    }

    @Test(arguments: ["", "{", "null", "[]", "{\"at\":5}", "{\"at\":\"x\",\"serial\":\"V1\"}", "V1", "V1 x", " 5"])
    func aDamagedTextIsNoHunt(_ text: String) {
        #expect(StoredHunt(stored: text) == nil)
    }

    /// A place that is not on the Earth, and a serial without letters and digits, are left out.
    @Test func damagedPlacesAreLeftOut() throws {
        let list = try #require(
            StoredPlaceList(
                stored: #"{"places":[{"isHidden":true,"place":{"latitude":91,"longitude":8},"serial":"V1"},{"#
                    + #""isHidden":true,"place":{"latitude":1,"longitude":8},"serial":"-"},null,{"isHidden":true,"#
                    + #""place":{"latitude":1,"longitude":8},"serial":"V2"}]}"#))
        #expect(StoredPlaces(list).all(by: RunClock()).map(\.serial.canonical) == ["V2"])
    }
}
