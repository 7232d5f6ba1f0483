import Dashboard
import GatewayRuntime

/// The lines of `doctor --next`, which end the installation of the package.
enum NextSteps {
    static func lines(after findings: [Finding], _ configuration: Configuration) -> [String] {
        let faults = findings.filter { $0.verdict == .wrong }
        let more = faults.count > 1 ? " (and \(faults.count - 1) more)" : ""
        let missing = faults.first.map { "Missing: \($0.subject): \($0.text.plainLine(limit: 300))\(more)" }
        let page = configuration.dashboard.isEnabled ? "its page is \(configuration.dashboardOptions.url)" : "no page"
        return [
            missing ?? "Nothing is missing.",
            "Say what differs on this box, like launch site and receiver:  sudo sondygo2mqtt setup",
            "All checks, and what to do:  sudo sondygo2mqtt doctor",
            "The gateway publishes below \(configuration.mqtt.baseTopic)/\(configuration.gateway.id); \(page)",
        ]
    }
}
