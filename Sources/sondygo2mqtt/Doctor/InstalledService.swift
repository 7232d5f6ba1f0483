import Foundation
import Glibc
import Threads

/// The service `sondygo2mqtt` of this machine, as systemd knows it.
struct InstalledService: Equatable {
    static let name = "sondygo2mqtt"

    /// systemd's `LoadState`, such as loaded, not-found or masked.
    var loaded: String
    /// systemd's `ActiveState`, such as active, activating, inactive or failed.
    var active: String

    /// Asks systemd; nil on a machine that it has not booted.
    static var present: InstalledService? {
        guard access("/run/systemd/system", F_OK) == 0,
            let text = systemctl(["show", name, "--property=LoadState,ActiveState"])
        else { return nil }
        return InstalledService(properties: text)
    }

    /// - Parameter properties: lines such as `ActiveState=active`.
    init(properties: String) {
        let values = properties.split(separator: "\n").reduce(into: [Substring: String]()) { values, line in
            let parts = line.split(separator: "=", maxSplits: 1)
            if parts.count == 2 { values[parts[0]] = String(parts[1]) }
        }
        (loaded, active) = (values["LoadState"] ?? "", values["ActiveState"] ?? "")
    }

    var isInstalled: Bool { !loaded.isEmpty && loaded != "not-found" }
    var isRunning: Bool { ["active", "reloading"].contains(active) }

    /// `doctor`'s line; nil if the service is not installed.
    var finding: Finding? {
        guard isInstalled else { return nil }
        if isRunning { return Finding.ok("service", "runs") }
        if loaded == "masked" {
            return Finding.note("service", "is masked: sudo systemctl unmask \(Self.name)")
        }
        return Finding.note(
            "service",
            "does not run (\(active)): sudo systemctl restart \(Self.name); why: journalctl -u \(Self.name) -n 20")
    }

    /// Restarts the service if it runs.
    /// - Returns: whether it runs with the new configuration.
    static func restartIfRunning() -> Bool {
        guard present?.isRunning == true, systemctl(["try-restart", name]) != nil else { return false }
        return present?.isRunning == true
    }

    /// - Returns: what systemctl prints; nil if it fails.
    private static func systemctl(_ arguments: [String]) -> String? {
        let output = Pipe()
        let ours = output.fileHandleForWriting
        guard let child = try? ChildProcess("/usr/bin/env", ["systemctl"] + arguments, output: ours.fileDescriptor)
        else { return nil }
        try? ours.close()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        return child.wait() == 0 ? String(decoding: data, as: UTF8.self) : nil
    }
}
