import ArgumentParser
import Dashboard
import Foundation
import GatewayReports
import Glibc

struct Setup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Ask for what differs from box to box, and keep the answers.",
        discussion: """
            It can be repeated: Enter keeps a value. Questions that a flag answers are not asked. The answers stand in \
            the file setup.yaml in the state directory; your own configuration file stays as it is, and counts first. \
            The broker is tested before it is kept. The service takes the new configuration at once.
            """)

    @Option(help: "The configuration file (default: \(ConfigurationLoader.defaultPath)).")
    var config = ConfigurationLoader.defaultPath

    @Option(help: "The language of these questions, of events, speech and Home Assistant: \(SetupQuestion.languages).")
    var language: String?

    @Option(help: "The MQTT broker, as host or host:port.")
    var mqttHost: String?

    @Option(help: "The user name at the broker, or none.")
    var mqttUser: String?

    @Option(help: "A text file with that user's password. It is copied to where the service reads it.")
    var mqttPasswordFile: String?

    @Option(name: .customLong("id"), help: "The name of this car, a level of its topics.")
    var gatewayID: String?

    @Option(help: "first (the first receiver in Bluetooth range), usb, or a Bluetooth address.")
    var receiver: String?

    @Option(help: "Where this receiver is: gps (a GPS says it), 52.52,13.40, or the link of a map.")
    var place: String?

    @Option(help: "SondeHub's launch site by its name or number, or none.")
    var site: String?

    @Option(help: "Whether tablets and phones may open the page: yes (with a key, as --key), open (without), or no.")
    var tablets: String?

    @Option(help: "The call sign for SondeHub's map, or none.")
    var callSign: String?

    @Option(help: "Roads from OpenStreetMap while there is a network: yes or no.")
    var roads: String?

    @Option(help: "The way by road from OSRM's public server while there is a network: yes or no.")
    var route: String?

    @Flag(help: "Make a key for the page: other machines then open it only with its link or QR code.")
    var key = false

    @Flag(help: "Ask nothing: set what the flags say, and keep the rest.")
    var noQuestions = false

    func run() async throws {
        do throws(CommandFailure) {
            try await setUp()
        } catch {
            error.exit()
        }
    }

    private func setUp() async throws(CommandFailure) {
        var answers = try givenAnswers()
        if key, answers[.tablets]?.lowercased() == "open" {
            throw CommandFailure(.usage, "--tablets open has no key; give --tablets yes, or leave out --key")
        }
        // The key file comes first: a configuration that names a missing one is refused.
        var keyFile = key || SetupQuestion.needsKey(tablets) ? try PageKeyFile(beside: config) : nil
        let present = try loaded()
        let own = ConfigurationFile(path: config).entries
        let standing = { (key: String) in own.contains { $0.key == key } ? config : nil }
        if let site = answers[.site] { answers[.site] = try await checked(site, present) }
        try await testBroker(answers, present)
        if !noQuestions {
            var dialog = SetupDialog(present, besides: answers, standing: standing)
            await dialog.run()
            answers = dialog.answers
        }
        if keyFile == nil, SetupQuestion.needsKey(answers[.tablets]) { keyFile = try PageKeyFile(beside: config) }
        var values = answers.values(over: present)
        if let keyFile, keyFile.path != present.dashboard.keyFile {
            values["dashboard.key_file"] = "\"\(keyFile.path)\""
        }
        if let key = values.keys.sorted().first(where: { standing($0) != nil }) {
            throw CommandFailure(.configuration, "\(key) stands in \(config), and that counts: change it there")
        }
        try keep(values, answers, keyFile, present)
        if keyFile != nil { tellLink() }
        await forgetOldName(present)
    }

    /// The answers that flags gave. A wrong answer ends the process before the first question.
    func givenAnswers() throws(CommandFailure) -> SetupAnswers {
        let given: [(SetupQuestion, String?)] = [
            (.language, language), (.broker, mqttHost), (.user, mqttUser), (.id, gatewayID), (.receiver, receiver),
            (.place, place), (.site, site), (.tablets, tablets), (.callSign, callSign), (.roads, roads),
            (.route, route),
        ]
        var answers = SetupAnswers()
        for (question, answer) in given {
            guard let answer else { continue }
            guard question == .site || question.values(for: answer) != nil else {
                let accepted = SetupTexts(.english).accepted(question)
                throw CommandFailure(.usage, "\(question.flag): \"\(answer.given)\" is not accepted; give \(accepted)")
            }
            answers[question] = answer
        }
        if let path = mqttPasswordFile {
            do throws(SmallFile.Fault) {
                answers.password = try PasswordFile(path).password()
            } catch {
                throw CommandFailure(
                    .usage,
                    "\(SetupQuestion.password.flag): \(path.given) \(error.text); give a text file with the password")
            }
        }
        return answers
    }

    /// The number of the site that the flag names.
    private func checked(_ site: String, _ present: Configuration) async throws(CommandFailure) -> String {
        let list = SetupQuestion.isNone(site) ? nil : await SiteList.fetched(present)
        switch SetupDialog.site(site, in: list) {
        case .success(let number):
            if list == nil, number != SetupQuestion.none { writeLine(SetupTexts(.english).sitesUnknown) }
            return number
        case .failure(let refusal):
            let text = SetupTexts(.english).noSuchSite(site.given, refusal)
            let hint =
                refusal.isUnchecked || !refusal.suggestion.isEmpty ? "" : "; give a number or name of its list, or none"
            throw CommandFailure(.usage, "\(SetupQuestion.site.flag): \(text)\(hint)")
        }
    }

    /// A broker of flags that does not accept the gateway is not kept.
    private func testBroker(_ answers: SetupAnswers, _ present: Configuration) async throws(CommandFailure) {
        guard answers.hasBroker else { return }
        let findings = await SetupDialog.test(answers.applied(to: present))
        for finding in findings { writeLine("  \(finding.text)") }
        guard findings.contains(where: { $0.verdict == .ok }) else {
            throw CommandFailure(
                .unavailable, "the broker stays as it was; to set it untested, write mqtt.host into \(config)")
        }
    }

    private func keep(
        _ values: [String: String], _ answers: SetupAnswers, _ keyFile: PageKeyFile?, _ present: Configuration
    ) throws(CommandFailure) {
        let texts = SetupTexts(answers.applied(to: present).language)
        let password = answers.password == present.password ? nil : answers.password
        let file = SetupFile(stateDirectory: present.gateway.stateDirectory)
        var values = values
        if let password {
            try SecretFile.write(password, to: PasswordFile(beside: config).path)
            // The page's answer keeps it elsewhere; the new password counts from here on.
            if present.mqtt.passwordFile == file.password.path { values["mqtt.password_file"] = "null" }
        }
        var isNew = false
        if !values.isEmpty {
            isNew = try file.set(values) { draft throws(ConfigurationProblems) in
                var loader = loader
                loader.setupPath = draft
                _ = try loader.load()
            }
        }
        if isNew {
            for (key, value) in values.sorted(by: { $0.key < $1.key }) { writeLine("  \(key): \(value)") }
            writeLine(texts.written(file.path))
        } else if password == nil, keyFile?.isNew != true {
            return writeLine(texts.unchanged)
        }
        let commands = SerialCable.commands(for: answers[.receiver])
        if !commands.isEmpty { writeLine(texts.cableFile) }
        for command in commands { writeLine("  \(command)") }
        restartService()
    }

    private var loader: ConfigurationLoader {
        let name = ConfigurationKey.named("gateway.state_directory")?.environmentName ?? ""
        let environment = ProcessInfo.processInfo.environment.filter { $0.key == name }
        return ConfigurationLoader(path: access(config, F_OK) == 0 ? config : "/dev/null", environment: environment)
    }

    private func loaded() throws(CommandFailure) -> Configuration {
        do throws(ConfigurationProblems) {
            return try loader.load()
        } catch {
            throw CommandFailure(.configuration, error.description)
        }
    }

    /// Removes what the gateway has published under its old name or at its old broker: else Home Assistant keeps a dead
    /// device.
    private func forgetOldName(_ old: Configuration) async {
        guard let new = try? loaded() else { return }
        guard
            new.gateway.id != old.gateway.id || new.mqtt.baseTopic != old.mqtt.baseTopic
                || new.mqtt.place != old.mqtt.place
        else { return }
        do throws(CommandFailure) {
            let topics = try await BrokerCleanup(old).run()
            if !topics.isEmpty {
                writeLine("Removed what \(old.gateway.id) had left at \(old.mqtt.place): \(topics.count) topics.")
            }
        } catch {
            guard InstalledService.present?.isInstalled == true else { return }
            writeLine("What \(old.gateway.id) has left at \(old.mqtt.place) stays there: \(error.message)")
            writeLine("  sudo sondygo2mqtt forget --id \(old.gateway.id) --mqtt-host \(old.mqtt.place)")
        }
    }

    /// Shows the link with the key.
    private func tellLink() {
        guard let options = try? loaded().dashboardOptions else { return }
        writeLine(SetupTexts((try? loaded())?.language ?? .english).pageLink(options.link))
        guard options.isForThisMachine else { return }
        writeLine("They can't open it yet: sudo sondygo2mqtt setup --tablets yes --no-questions")
    }

    /// Restarts the service if it runs. A box without systemd has none.
    private func restartService() {
        guard config == ConfigurationLoader.defaultPath, InstalledService.present?.isInstalled == true else { return }
        guard InstalledService.restartIfRunning() else {
            return writeLine("The service does not run. Now: sudo systemctl restart \(InstalledService.name)")
        }
        writeLine("The service has taken it. What is still missing: sudo sondygo2mqtt doctor")
    }
}
