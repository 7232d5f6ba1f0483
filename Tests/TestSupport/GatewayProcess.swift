import Foundation

/// The real program, beside the test bundle.
public enum GatewayProgram {
    public static let path: String = {
        let bundle = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        var folder = bundle.deletingLastPathComponent()
        while folder.path != "/" {
            let candidate = folder.appendingPathComponent("sondygo2mqtt").path
            if FileManager.default.isExecutableFile(atPath: candidate) { return candidate }
            folder.deleteLastPathComponent()
        }
        return Fixtures.url(".build/debug/sondygo2mqtt").path
    }()

    /// Starts it with the id `test` and its own state directory.
    public static func start(_ arguments: [String], environment: [String: String] = [:]) throws -> Child {
        try Child(path, arguments, environment: ["SONDYGO_GATEWAY_ID": "test"].merging(environment) { $1 })
    }
}
