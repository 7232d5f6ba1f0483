import ArgumentParser
import Dashboard
import Foundation
import Glibc

struct Setup: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Ask for what differs from box to box, and write the configuration.",
        discussion: """
            It can be repeated: Enter keeps a value, and comments and other keys stay as they are. Questions that a \
            flag answers are not asked. The service takes the new configuration at once.
            """)

    @Option(help: "The configuration file (default: \(ConfigurationLoader.defaultPath)).")
    var config = ConfigurationLoader.defaultPath

    @Option(name: .customLong("id"), help: "The name of this car, a level of its topics.")
    var gatewayID: String?

    @Option(help: "SondeHub's number of the launch site, for example 06610.")
    var site: String?

    @Option(help: "The language of events, speech and Home Assistant: \(SetupQuestion.languages).")
    var language: String?

    @Option(help: "first (the first receiver in Bluetooth range), usb, or a Bluetooth address.")
    var receiver: String?

    @Option(help: "Whether tablets and phones may open the page: yes (with a key, as --key), open (without), or no.")
    var tablets: String?

    @Option(help: "The call sign for SondeHub's map, or none.")
    var callSign: String?

    @Flag(help: "Make a key for the page: other machines then open it only with its link or QR code.")
    var key = false

    @Flag(help: "Ask nothing: set what the flags say, and keep the rest.")
    var noQuestions = false

    func run() throws {
        let loader = ConfigurationLoader(path: access(config, F_OK) == 0 ? config : "/dev/null", environment: [:])
        let answersOfFlags = givenAnswers
        if key, answersOfFlags[SetupQuestion.tablets.flag]?.lowercased() == "open" {
            CommandFailure(.usage, "--tablets open has no key; give --tablets yes, or leave out --key").exit()
        }
        var keyFile: PageKeyFile?
        do throws(CommandFailure) {
            // The key file comes first: a configuration that names a missing one is refused.
            keyFile = key || SetupQuestion.needsKey(tablets) ? try PageKeyFile(beside: config) : nil
        } catch {
            error.exit()
        }
        let present: Configuration
        do throws(ConfigurationProblems) {
            present = try loader.load()
        } catch {
            CommandFailure(.configuration, error.description).exit()
        }
        var answers = answersOfFlags
        if !noQuestions { answers = SetupDialog(configuration: present) { readLine() }.ask(besides: answers) }
        do throws(CommandFailure) {
            if keyFile == nil, SetupQuestion.needsKey(answers[SetupQuestion.tablets.flag]) {
                keyFile = try PageKeyFile(beside: config)
            }
            try write(answers, keyFile, over: present)
        } catch {
            error.exit()
        }
    }

    /// The answers that flags gave, by flag. A wrong answer ends the process before the first question.
    private var givenAnswers: [String: String] {
        let given = [
            ("--id", gatewayID), ("--site", site), ("--language", language), ("--receiver", receiver),
            ("--tablets", tablets), ("--call-sign", callSign),
        ]
        let answers = Dictionary(uniqueKeysWithValues: given.compactMap { flag, text in text.map { (flag, $0) } })
        for question in SetupQuestion.all {
            guard let answer = answers[question.flag], case .failure(let refusal) = question.values(for: answer) else {
                continue
            }
            CommandFailure(.usage, "\(question.flag): \(refusal.text)").exit()
        }
        return answers
    }

    private func write(
        _ answers: [String: String], _ keyFile: PageKeyFile?, over present: Configuration
    ) throws(CommandFailure) {
        // An answer that is in force already, like a default, needs no line in the file.
        var new = SetupQuestion.all.flatMap { question -> [(key: String, value: String)] in
            guard let answer = answers[question.flag], answer != question.present(present),
                case .success(let values) = question.values(for: answer)
            else { return [] }
            return values
        }
        if let keyFile, keyFile.path != present.dashboard.keyFile {
            new.append(("dashboard.key_file", "\"\(keyFile.path)\""))
        }
        defer { if keyFile != nil { tellLink() } }
        let file = try SetupFile(path: config)
        guard !new.isEmpty, try file.set(new) else {
            writeLine("\(config) says all of this already.")
            if keyFile?.isNew == true { restartService() }
            return
        }
        for (key, value) in new { writeLine("  \(key): \(value)") }
        writeLine("\(config) is written.")
        if answers[SetupQuestion.receiver.flag] == "usb", access(Self.usbCable, F_OK) != 0 {
            writeLine("The service needs one file more for the cable:")
            writeLine("  sudo install -D -m 644 /usr/share/doc/sondygo2mqtt/examples/usb-cable.conf \(Self.usbCable)")
            writeLine("  sudo systemctl daemon-reload && sudo systemctl restart sondygo2mqtt")
        }
        restartService()
    }

    /// Shows the link with the key.
    private func tellLink() {
        guard let options = try? ConfigurationLoader(path: config, environment: [:]).load().dashboardOptions else {
            return
        }
        writeLine("The page's link for tablets and phones: \(options.link)")
        guard options.isForThisMachine else { return }
        writeLine("They can't open it yet: sudo sondygo2mqtt setup --tablets yes --no-questions")
    }

    private static let usbCable = "/etc/systemd/system/sondygo2mqtt.service.d/usb-cable.conf"

    /// Restarts the service if it runs. A box without systemd has none.
    private func restartService() {
        guard config == ConfigurationLoader.defaultPath, InstalledService.present?.isInstalled == true else { return }
        guard InstalledService.restartIfRunning() else {
            return writeLine("The service does not run. Now: sudo systemctl restart \(InstalledService.name)")
        }
        writeLine("The service has taken it. What is still missing: sudo sondygo2mqtt doctor")
    }
}
