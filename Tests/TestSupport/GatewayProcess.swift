import Foundation

/// The real program: the one that the variable `PROGRAM` names, as in Tests/run.sh, or the one built beside the test
/// bundle.
public enum GatewayProgram {
    public static let path: String = {
        if let named = ProcessInfo.processInfo.environment["PROGRAM"], !named.isEmpty { return named }
        let bundle = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        var folder = bundle.deletingLastPathComponent()
        while folder.path != "/" {
            let candidate = folder.appendingPathComponent("sondygo2mqtt").path
            if FileManager.default.isExecutableFile(atPath: candidate) { return candidate }
            folder.deleteLastPathComponent()
        }
        return Fixtures.url(".build/debug/sondygo2mqtt").path
    }()

    /// Starts the program with the id `test`. SondeHub is off, so that no test asks the real one.
    public static func start(_ arguments: [String], environment: [String: String] = [:]) throws -> Child {
        let defaults = [
            "SONDYGO_GATEWAY_ID": "test", "SONDYGO_SONDEHUB_ENABLED": "false",
            "SONDYGO_SONDEHUB_STREAM": "off", "SONDYGO_DASHBOARD_ENABLED": "false",
            "SONDYGO_GATEWAY_STATE_DIRECTORY": try temporaryDirectory().path,
        ]
        return try Child(path, arguments, environment: defaults.merging(environment) { $1 })
    }
}
