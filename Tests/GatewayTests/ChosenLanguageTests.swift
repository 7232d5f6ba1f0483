import GatewayTestSupport
import TestSupport
import Testing

@testable import Gateway
@testable import GatewayReports

/// The language of events, which the configuration and a command set.
@Suite struct ChosenLanguageTests {
    private static func command(_ value: String) -> String { "{\"options\":{\"language\":\(value)}}" }

    private func said(_ outcome: Script.Outcome) -> [String] {
        outcome.reports.compactMap { if case .announcement(let told) = $0 { told.text } else { nil } }
    }

    private func info(_ outcome: Script.Outcome) -> [Language] {
        outcome.reports.compactMap { if case .info(let told) = $0 { told.info.language } else { nil } }
    }

    @Test func aCommandChangesTheLanguageAtOnce() {
        var script = Script()
        script.connect()
        for (value, language, stored) in [
            ("\"it\"", Language.italian, #"{"commanded":"it","configured":"en"}"#),
            ("\"de\"", .german, #"{"commanded":"de","configured":"en"}"#), ("null", .english, nil),
        ] as [(String, Language, String?)] {
            let outcome = script.command(Self.command(value))
            #expect(outcome.commandAnswers.first?.applied == ["language": .string(language.rawValue)])
            #expect(outcome.entries == [.setting(.language, stored)])
            #expect(info(outcome) == [language])
            // The same again changes nothing.
            #expect(info(script.command(Self.command(value))) == [])
        }
        script.command(Self.command("\"fr\""))
        #expect(said(script.run(.storeChanged(nil))) == ["L'enregistrement reprend."])
    }

    /// A command's language survives a restart, until another one is configured.
    @Test func theLanguageIsRemembered() {
        for (stored, expected) in [
            ("it en", "La registrazione riprende."), ("it de", "Recording again: the store works."),
            ("it", "Recording again: the store works."), ("xx en", "Recording again: the store works."),
        ] {
            var script = Script(memory: GatewayMemory(settings: [.language: stored]))
            #expect(said(script.run(.storeChanged(nil))) == [expected], "\(stored)")
        }
    }

    /// After a SIGHUP another configured language replaces a command's; an unchanged one does not.
    @Test func anotherLanguageOfTheConfiguration() {
        var script = Script()
        script.command(Self.command("\"it\""))
        #expect(script.run(.chaseChanged(ChaseOptions(), [])).entries == [])
        #expect(said(script.run(.storeChanged(nil))) == ["La registrazione riprende."])
        #expect(script.run(.chaseChanged(ChaseOptions(language: .german), [])).entries == [.setting(.language, nil)])
        #expect(said(script.run(.storeChanged(nil))) == ["Die Aufzeichnung läuft wieder."])
    }
}
