import Foundation
import Gateway
import GatewayReports
import TestSupport
import Testing

@testable import sondygo2mqtt

/// The key `units`, and its earlier name `dashboard.units`.
@Suite struct UnitsSettingTests {
    private func load(_ text: String, _ environment: [String: String] = [:]) throws -> Configuration {
        let file = try temporaryDirectory().appendingPathComponent("config.yaml")
        try Data(text.utf8).write(to: file)
        return try ConfigurationLoader(path: file.path, environment: environment).load()
    }

    /// A file, the environment -> the units.
    @Test(
        arguments: [
            ("", [:], .metric), ("units: aviation\n", [:], .aviation),
            ("dashboard:\n  units: imperial\n", [:], .imperial),
            ("dashboard:\n  units: imperial\n", ["SONDYGO_UNITS": "aviation"], .aviation),
            ("units: imperial\n", ["SONDYGO_DASHBOARD_UNITS": "aviation"], .aviation),
        ] as [(String, [String: String], Units)])
    func bothNamesAreRead(_ text: String, _ environment: [String: String], _ units: Units) throws {
        let configuration = try load(text, environment)
        #expect(configuration.units == units)
        #expect(configuration.chaseOptions.units == units)
        #expect(configuration.explicit["dashboard.units"] == nil)
        let isEarlier = text.contains("dashboard") || environment.keys.contains("SONDYGO_DASHBOARD_UNITS")
        #expect(configuration.formerNamesText == (isEarlier ? "dashboard.units is now units" : nil))
    }

    @Test func wrongOnesAreRefused() {
        for text in ["units: miles\n", "units: [metric]\n", "units:\n  page: metric\n", "dashboard: {units: feet}\n"] {
            #expect(throws: ConfigurationLoader.Problems.self, "\(text)") { try load(text) }
        }
    }
}
