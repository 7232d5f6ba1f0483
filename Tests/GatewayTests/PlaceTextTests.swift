import FlightMath
import Testing

@testable import Gateway

/// A landing point as a person pastes it.
@Suite struct PlaceTextTests {
    @Test(arguments: [
        "47.1,8.2", "47.1, 8.2", " 47.1 8.2 ", "47.1;8.2", "+47.10,+8.20", "geo:47.1,8.2", "geo:47.1,8.2;u=35",
        "geo:0,0?q=47.1,8.2(Sonde)", "GEO:47.1,8.2?z=14", "https://www.openstreetmap.org/#map=14/47.1/8.2",
        "https://www.openstreetmap.org/?mlat=47.1&mlon=8.2#map=12/50/9", "https://maps.google.com/?q=47.1,8.2",
        "https://www.google.com/maps/search/?api=1&query=47.1%2C8.2",
        "https://www.google.com/maps/dir/?api=1&destination=47.1,8.2", "https://www.google.com/maps/@47.1,8.2,14z",
        "https://www.google.com/maps/place/X/@50,9,12z/data=!3m1!4b1!3d47.1!4d8.2",
        "https://maps.apple.com/?ll=47.1,8.2", "https://maps.apple.com/?daddr=47.1,8.2&dirflg=d",
        "https://maps.apple.com/place?coordinate=47.1%2C%208.2",
    ])
    func aPlace(_ text: String) throws {
        let place = try #require(PlaceText.place(in: text))
        #expect(place == Coordinate(latitude: 47.1, longitude: 8.2))
    }

    @Test(arguments: [
        "-33.9,-70.6", "geo:-33.9,-70.6", "https://www.google.com/maps/@-33.9,-70.6,9z", "!3d-33.9!4d-70.6",
    ])
    func inTheSouthAndWest(_ text: String) throws {
        let place = try #require(PlaceText.place(in: text))
        #expect(place == Coordinate(latitude: -33.9, longitude: -70.6))
    }

    @Test(arguments: [
        "", " ", "home", "47.1", "47,1 8,2", "47.1,8.2,9 and more", "91,8", "47.1,181", "geo:", "geo:x,y",
        "https://osm.org",
        "https://www.openstreetmap.org/#map=14", "#map=14/47.1", "q=47.1", "!3d47.1", "!3d47.1!4d", "mlat=47.1",
        "--47,8",
        "47..1,8.2", "nan,nan", "1e1,8", "1e999,8", ",", "@", "@,",
        String(repeating: "9", count: 400) + "," + String(repeating: "9", count: 400),
    ])
    func noPlace(_ text: String) {
        #expect(PlaceText.place(in: text) == nil)
    }

    /// Reading a command's longest text takes hardly any time, whatever the text is.
    @Test(arguments: ["q=", "@", "!3d", "#map=", "1,", "%2c", "geo:1,"])
    func aLongText(_ piece: String) {
        let text = String(repeating: piece, count: 4096 / piece.count)
        let took = ContinuousClock().measure { _ = PlaceText.place(in: text) }
        #expect(took < .seconds(5))
    }
}
