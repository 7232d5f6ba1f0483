import GatewayTestSupport
import ReceiverProtocol
import Testing

@testable import FlightMath
@testable import Gateway
@testable import GatewayReports
@testable import MQTTPublishing

/// The entities of the prediction and of the car.
@Suite struct HomeAssistantChaseTests {
    private let options = HomeAssistantOptions(
        isEnabled: true, prefix: "homeassistant", version: "1.2.3", hasPrediction: true, hasCar: true)
    private static let start = MonotonicTime.zero
    private let noon = WallTime(millisecondsSince1970: Script.noon)

    private func shown(_ values: inout HomeAssistantValues, at now: MonotonicTime) throws -> [String: Any] {
        _ = values.refresh(at: now)
        return try #require(OutgoingMessage(topic: "", payload: values.payload).object)
    }

    private func landing(at now: MonotonicTime) -> Report {
        let point = LandingPoint(
            coordinate: Coordinate(latitude: 47.1, longitude: 8.2), altitudeMetres: 450, source: .predicted,
            method: .ownWinds, at: Moment(monotonic: now, wall: noon, isClockSynced: true),
            radius50Metres: 600.4, radius90Metres: 1500.2, landingAt: noon.advanced(by: .seconds(600)))
        return .landing(LandingReport(serial: SondeSerial(name: "V4210150", type: .rs41), point: point, history: []))
    }

    @Test func theLandingPoint() throws {
        var values = HomeAssistantValues(options)
        values.note(landing(at: .zero), at: .zero)
        let shown = try shown(&values, at: Self.start.advanced(by: .seconds(60)))
        let place = try #require(shown["landing"] as? [String: Any])
        #expect(place["latitude"] as? Double == 47.1 && place["longitude"] as? Double == 8.2)
        // The accuracy is bounded, so that it reaches no zone. The radius has its own field.
        #expect(place["gps_accuracy"] as? Int == 100 && place["error_radius_90_m"] as? Double == 1500.2)
        #expect(place["serial"] as? String == "V4210150")
        #expect(shown["landing_at"] as? String == "2026-01-01T12:10:00.000Z")
        #expect(shown["landing_in_s"] as? Int == 540)
        #expect(shown["landing_radius_m"] as? Double == 1500.2)
        // Set by a command: the radius is unknown, so the map shows no circle.
        let byHand = LandingPoint(
            coordinate: Coordinate(latitude: 47.1, longitude: 8.2), source: .manual,
            at: Moment(monotonic: .zero, wall: noon, isClockSynced: true))
        values.note(.landing(LandingReport(serial: nil, point: byHand, history: [])), at: .zero)
        let setByHand = try self.shown(&values, at: Self.start.advanced(by: .seconds(90)))
        #expect((setByHand["landing"] as? [String: Any])?.keys.contains("gps_accuracy") == false)
        values.note(.landing(nil), at: .zero)
        let gone = try self.shown(&values, at: Self.start.advanced(by: .seconds(120)))
        for key in ["landing", "landing_at", "landing_in_s", "landing_radius_m"] {
            #expect(gone[key] is String == false && gone[key] as? Double == nil && gone[key] as? [String: Any] == nil)
        }
    }

    private func chase(_ metres: Double, at now: MonotonicTime) -> HomeAssistantChase {
        HomeAssistantChase(
            car: HomeAssistantPlace(
                coordinate: Coordinate(latitude: 47, longitude: 8), accuracyMetres: 4.5),
            distanceToSonde: metres, distanceToLanding: 5025, arrivalAt: noon.advanced(by: .seconds(900)),
            margin: .seconds(-300), at: now)
    }

    @Test func theCar() throws {
        var values = HomeAssistantValues(options)
        values.note(chase(12_000, at: .zero))
        let shown = try shown(&values, at: .zero)
        let car = try #require(shown["car"] as? [String: Any])
        #expect(car["latitude"] as? Double == 47 && car["gps_accuracy"] as? Int == 5)
        #expect(shown["distance_sonde_m"] as? Double == 12_000)
        #expect(shown["distance_landing_m"] as? Double == 5025)
        #expect(shown["arrival_at"] as? String == "2026-01-01T12:15:00.000Z")
        #expect(shown["margin_s"] as? Int == -300)
    }

    /// A chase report comes every second, but the entities change more slowly.
    @Test func theCarIsPublishedAtItsPace() throws {
        var values = HomeAssistantValues(options)
        var changes = 0
        for second in 0..<600 {
            let now = MonotonicTime.zero.advanced(by: .seconds(second))
            values.note(chase(20_000 - Double(second), at: now))
            if values.refresh(at: now) { changes += 1 }
        }
        #expect(changes == 20)
    }

    /// An old position of the car is not shown.
    @Test func aChaseExpires() throws {
        var values = HomeAssistantValues(options)
        values.note(chase(12_000, at: .zero))
        let isShown = values.refresh(at: .zero)
        #expect(isShown)
        // Nothing waits. The next deadline is the chase's expiry.
        #expect(values.deadline == Self.start.advanced(by: .seconds(30)))
        let isOther = values.refresh(at: Self.start.advanced(by: .seconds(29)))
        #expect(!isOther)
        let gone = try shown(&values, at: Self.start.advanced(by: .seconds(30)))
        for key in ["distance_sonde_m", "distance_landing_m", "margin_s"] { #expect(gone[key] as? Double == nil) }
        #expect(gone["car"] as? [String: Any] == nil && gone["arrival_at"] as? String == nil)
    }

    /// A sonde that says no place is heard, and the entity says so.
    @Test func aSignalWithoutAPlaceIsNotNobody() throws {
        var script = Script()
        script.connect()
        for _ in 0..<20 {
            script.wait(1)
            script.frame("2/RS41/403.500/V4210150/101.5/100/0/4260/0/3.10/o")
        }
        var values = HomeAssistantValues(options)
        values.note(.state(try #require(script.stateReport)), at: script.now.monotonic)
        let status = try shown(&values, at: script.now.monotonic)["status"] as? String
        #expect(status == "The receiver hears the sonde, but no place.")
    }

    /// Without prediction and car their entities do not exist.
    @Test func withoutCarAndLandingPointNothingIsShown() throws {
        var values = HomeAssistantValues(HomeAssistantOptions(isEnabled: true, prefix: "h", version: "1"))
        values.note(landing(at: .zero), at: .zero)
        values.note(chase(12_000, at: .zero))
        let shown = try shown(&values, at: .zero)
        for key in ["landing", "landing_at", "prediction_method", "car", "margin_s"] { #expect(shown[key] == nil) }
    }
}
