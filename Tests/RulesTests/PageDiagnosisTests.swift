import Dashboard
import Foundation
import GatewayReports
import ReceiverProtocol
import Testing

@testable import sondygo2mqtt

/// The page's lines for the checks of `doctor`.
@Suite struct PageDiagnosisTests {
    @Test(arguments: [
        (
            Finding.wrong("broker", "127.0.0.1:1883: can't read /etc/ssl/ca.pem; see the log"),
            DiagnosisLine(subject: "broker", isOK: false, text: "127.0.0.1:1883: can't read … see the log")
        ),
        (
            Finding.note("sondehub", "https://api.v2.sondehub.org does not answer"),
            DiagnosisLine(subject: "sondehub", isOK: false, text: "https://api.v2.sondehub.org does not answer")
        ),
        (
            Finding.note("maps", "Ötztal x.mbtiles is broken", code: .mapsFile, place: "Ötztal x.mbtiles"),
            DiagnosisLine(
                subject: "maps", isOK: false, text: "Ötztal x.mbtiles is broken", code: "maps_file",
                place: "Ötztal x.mbtiles")
        ),
        (Finding.ok("clock", "is set by NTP"), DiagnosisLine(subject: "clock", isOK: true, text: "is set by NTP")),
    ])
    func aLineHasNoPath(_ finding: Finding, _ expected: DiagnosisLine) {
        #expect(PageDiagnosis.line(finding) == expected)
    }

    /// It has its own car and clock, so the box's are no fault.
    @Test func aSimulatedFlightNeedsNeitherGPSNorClock() {
        var configuration = Configuration()
        #expect(PageDiagnosis(configuration: configuration).subjects.isSuperset(of: ["gpsd", "clock"]))
        configuration.receiver.transport = SimulatorSettings.name
        #expect(PageDiagnosis(configuration: configuration).subjects == ["broker", "maps"])
    }

    /// The codes for which the page has sentences, by the part of the languages' files.
    private static let coded: [(part: String, codes: [String])] = [
        ("diagnosis", Finding.Code.allCases.map(\.rawValue)),
        ("refusals", CommandRefusal.Code.allCases.map(\.rawValue)),
        ("reasons", TelemetryState.Reason.allCases.map(\.rawValue)),
        ("faults", OnlineServiceError.Code.allCases.map(\.rawValue)),
        ("states", TelemetryState.allCases.map(\.rawValue)),
        ("settingNames", ReceiverSetting.all.map(\.field)),
    ]

    /// The page has a text for each code and each of the receiver's settings, and for no other.
    @Test(arguments: Language.allCases)
    func aLanguageHasASentenceForEachCode(_ language: Language) {
        let text = String(decoding: language.file, as: UTF8.self)
        for (part, codes) in Self.coded {
            let names = text.matches(of: /\npage\.(\w+)\.(\w+) = \S/).filter { $0.output.1 == part }.map {
                String($0.output.2)
            }
            #expect(names.sorted() == codes.sorted(), "\(part)")
        }
    }
}
