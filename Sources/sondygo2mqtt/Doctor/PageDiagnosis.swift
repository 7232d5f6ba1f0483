import Dashboard
import GatewayRuntime

/// The findings of `doctor` for the page: without paths, and only about faults that a person in the car can mend.
struct PageDiagnosis {
    let configuration: Configuration

    var lines: [DiagnosisLine] {
        get async {
            let services = await ServiceCheckup(configuration: configuration, isForPage: true).findings()
            let kept = services.filter { subjects.contains($0.subject) }.map(Self.line)
            return [receiver] + kept
        }
    }

    /// A simulated or recorded flight has its own SondeHub, car and clock.
    var subjects: Set<String> {
        configuration.isForShow ? ["broker", "maps"] : ["broker", "sondehub", "gpsd", "clock", "maps"]
    }

    /// The first fault on the way to the receiver; without one, advice. The page replaces it when the receiver is
    /// connected.
    private var receiver: DiagnosisLine {
        let fault = ReceiverCheckup(configuration: configuration).findings().first { $0.verdict == .wrong }
        let advice = "is not connected. Switch MySondyGo on, bring it closer, and close its app on the phone"
        var line = Self.line(fault ?? .wrong("receiver", advice, code: .receiverAway))
        line.subject = "receiver"
        return line
    }

    static func line(_ finding: Finding) -> DiagnosisLine {
        DiagnosisLine(
            subject: finding.subject, isOK: finding.verdict == .ok,
            text: withoutPaths(finding.text.plainLine(limit: 300)), code: finding.code?.rawValue,
            place: finding.place.map { withoutPaths($0.plainLine(limit: 100)) })
    }

    /// The text without the names of files; URLs stay.
    static func withoutPaths(_ text: String) -> String {
        text.split(separator: " ", omittingEmptySubsequences: false)
            .map { $0.contains("/") && !$0.contains("://") ? "…" : String($0) }.joined(separator: " ")
    }
}
