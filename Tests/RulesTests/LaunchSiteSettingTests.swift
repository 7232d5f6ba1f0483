import FlightMath
import Gateway
import Testing

@testable import sondygo2mqtt

/// Loads `flight.launch_sites`, `announce.altitude_step_m` and `announce.status_minutes`.
@Suite struct LaunchSiteSettingTests {
    private func load(_ values: [String: String]) throws -> Configuration {
        try ConfigurationLoader(path: nil, environment: values).load()
    }

    /// Latitude and longitude of each place.
    @Test(
        arguments: [
            ("", []), ("46.8131 6.9437", [46.8131, 6.9437]), ("-46.8 -6.9, 89 179.5", [-46.8, -6.9, 89, 179.5]),
        ] as [(String, [Double])])
    func launchSitesAreChecked(_ text: String, _ numbers: [Double]) throws {
        let configuration = try load(["SONDYGO_FLIGHT_LAUNCH_SITES": text])
        #expect(configuration.launchSites.flatMap { [$0.latitude, $0.longitude] } == numbers)
        #expect(configuration.predictionOptions.launchSites == configuration.launchSites)
    }

    @Test(arguments: [
        ("FLIGHT_LAUNCH_SITES", "46.8"), ("FLIGHT_LAUNCH_SITES", "91 6"), ("FLIGHT_LAUNCH_SITES", "46.8 6.9,"),
        ("FLIGHT_LAUNCH_SITES", "nan 6"), ("FLIGHT_LAUNCH_SITES", "1 1,1 1,1 1,1 1,1 1,1 1,1 1,1 1,1 1"),
        ("ANNOUNCE_ALTITUDE_STEP_M", "100"), ("ANNOUNCE_ALTITUDE_STEP_M", "-1"), ("ANNOUNCE_STATUS_MINUTES", "121"),
    ])
    func wrongOnesAreRefused(_ name: String, _ value: String) {
        #expect(throws: ConfigurationLoader.Problems.self) { try load(["SONDYGO_" + name: value]) }
    }

    @Test func altitudeStepAndStatusMinutes() throws {
        let usual = try load([:]).chaseOptions
        #expect(usual.altitudeStepMetres == 5000 && usual.statusInterval == nil)
        let other = try load(["SONDYGO_ANNOUNCE_ALTITUDE_STEP_M": "0", "SONDYGO_ANNOUNCE_STATUS_MINUTES": "5"])
            .chaseOptions
        #expect(other.altitudeStepMetres == 0 && other.statusInterval == .seconds(300))
    }
}
