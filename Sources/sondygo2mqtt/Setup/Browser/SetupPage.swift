import Dashboard
import Gateway
import GatewayReports
import GatewayRuntime

/// `setup` in the browser: the questions of the terminal, in any order. Each answer is tested before it is kept in the
/// file ``SetupFile``.
struct SetupPage: SetupDesk {
    /// The configuration of this run.
    let running: Configuration
    let loader: ConfigurationLoader
    let restart: RestartRequest
    private let finder = SetupFinder()

    /// The longest answer in bytes: the link of a map.
    private static let longestAnswer = 500

    // MARK: - Questions

    func questions(_ access: SetupAccess, in language: Language) async -> [UInt8] {
        let texts = SetupPageTexts(language)
        let present = (try? loader.load()) ?? running
        var json = JSONText()
        json.field("open", access == .open)
        json.field("first", Self.isNew(present))
        json.field("waits", Self.waits(present) != Self.waits(running) || present.password != running.password)
        json.field("words") { texts.write(to: &$0) }
        switch access {
        case .open:
            json.array("steps", SetupStep.all(texts)[...]) { json, step in
                json.object { write(step, present, texts, to: &$0) }
            }
        case .keyless:
            json.field("why", texts.keyless)
            json.field("command", "sudo sondygo2mqtt setup --tablets yes")
        case .readOnly: json.field("why", texts.readOnly)
        }
        return json.object
    }

    /// Nobody has configured anything but the page itself.
    private static func isNew(_ configuration: Configuration) -> Bool {
        let ours = ["dashboard.", "gateway.state_directory", "gateway.log_level"]
        return configuration.explicit.keys.allSatisfy { key in ours.contains { key.hasPrefix($0) } }
    }

    /// What counts only after a new start: all but the map of roads.
    private static func waits(_ configuration: Configuration) -> [String: String] {
        configuration.explicit.filter { !SetupQuestion.roads.keys.contains($0.key) }
    }

    private func write(_ step: SetupStep, _ present: Configuration, _ texts: SetupPageTexts, to json: inout JSONText) {
        let answer = step.question.present(in: present)
        json.field("name", step.question.pageName)
        json.field("title", texts.titles[step.question])
        json.field("text", texts.questions[step.question])
        json.field("present", answer)
        json.field("shown", step.choices.first { $0.value == answer }?.title ?? answer)
        json.field("fixed", fixedKey(step.question) != nil)
        json.field("searched", step.isSearched)
        json.array("choices", step.choices[...]) { json, choice in
            json.object {
                $0.field("value", choice.value)
                $0.field("title", choice.title)
            }
        }
        json.array("fields", step.fields[...]) { json, field in
            json.object {
                $0.field("name", field.question.pageName)
                $0.field("label", texts.labels[field.question])
                $0.field("secret", field.isSecret)
                $0.field("present", field.isSecret ? "" : field.question.present(in: present))
            }
        }
    }

    /// A key of the question that the user's own file, the environment or a flag sets; that counts before the answers.
    private func fixedKey(_ question: SetupQuestion) -> String? {
        let own = ConfigurationFile(path: loader.path ?? ConfigurationLoader.defaultPath).entries
        let keys = question == .password ? ["mqtt.password_file"] : question.keys.filter { $0 != "dashboard.key_file" }
        return keys.first { key in
            own.contains { $0.key == key } || loader.flags[key] != nil
                || ConfigurationKey.named(key).map { loader.environment[$0.environmentName] != nil } ?? false
        }
    }

    // MARK: - Answers

    func found(_ search: SetupSearch, in language: Language) async -> [UInt8]? {
        let steps = SetupStep.all(SetupPageTexts(language))
        guard let step = steps.first(where: { $0.question.pageName == search.question }) else { return nil }
        return await finder.found(step, search, (try? loader.load()) ?? running, language).json
    }

    func handle(_ body: [UInt8], in language: Language) async -> [UInt8]? {
        guard case .object(let members)? = JSONValue(json: body) else { return nil }
        var json = JSONText()
        if members == ["restart": .bool(true)] {
            restart.request()
            json.field("restarts", true)
            return json.object
        }
        guard members.count == 1, case .object(let given)? = members["answers"] else { return nil }
        do throws(SetupRefusal) {
            let answers = try await keep(given, language)
            json.field("kept", true)
            let commands = SerialCable.commands(for: answers[.receiver])
            json.field("commands", .array(commands.map { .string($0) }))
            return json.object
        } catch {
            return error.json
        }
    }

    func onlineMaps() -> [OnlineMapOptions] {
        ((try? loader.load()) ?? running).dashboardOptions.onlineMaps
    }

    private func keep(_ given: [String: JSONValue], _ language: Language) async throws(SetupRefusal) -> SetupAnswers {
        let present: Configuration
        do throws(ConfigurationProblems) {
            present = try loader.load()
        } catch {
            throw SetupRefusal(text: error.description)
        }
        var answers = SetupAnswers()
        for (name, value) in given.sorted(by: { $0.key < $1.key }) {
            try await add(value, of: name, to: &answers, present, language)
        }
        if answers.hasBroker {
            let findings = await SetupDialog.test(answers.applied(to: present))
            if !findings.contains(where: { $0.verdict == .ok }) {
                let text = findings.first?.text ?? SetupTexts(language).brokerNotKept
                throw SetupRefusal(
                    question: SetupQuestion.broker.pageName, text: text, code: findings.first?.code,
                    place: findings.first?.place)
            }
        }
        do throws(CommandFailure) {
            try write(answers, over: present)
        } catch {
            throw SetupRefusal(text: error.message)
        }
        return answers
    }

    /// Checks an answer. An empty one keeps the present value.
    private func add(
        _ value: JSONValue, of name: String, to answers: inout SetupAnswers, _ present: Configuration,
        _ language: Language
    ) async throws(SetupRefusal) {
        guard let question = SetupQuestion.named(name) else {
            throw SetupRefusal(text: "there is no question \(name.plainLine(limit: 40))")
        }
        let texts = SetupTexts(language)
        guard case .string(let text) = value, text.utf8.count <= Self.longestAnswer else {
            throw SetupRefusal(question: name, text: texts.accepted(question))
        }
        guard !text.isEmpty else { return }
        guard fixedKey(question) == nil else {
            throw SetupRefusal(question: name, text: SetupPageTexts(language).fixed)
        }
        if question == .password { return answers.password = text }
        if question == .site {
            switch SetupDialog.site(text, in: await finder.sites(present)) {
            case .success(let number): return answers[.site] = number
            case .failure(let refusal):
                throw SetupRefusal(
                    question: name, text: texts.noSuchSite(text, refusal))
            }
        }
        // Without a key the page could not be set up any more.
        let isOpen = question == .tablets && text.lowercased() == "open"
        guard !isOpen, question.values(for: text) != nil else {
            throw SetupRefusal(
                question: name, text: texts.refused(text, question))
        }
        answers[question] = text
    }

    private func write(_ answers: SetupAnswers, over present: Configuration) throws(CommandFailure) {
        let file = SetupFile(stateDirectory: present.gateway.stateDirectory)
        var values = answers.values(over: present)
        if let password = answers.password, password != present.password {
            try SecretFile.write(password, to: file.password.path)
            values["mqtt.password_file"] = "\"\(file.password.path)\""
        }
        guard !values.isEmpty else { return }
        _ = try file.set(values) { draft throws(ConfigurationProblems) in
            var loader = loader
            loader.setupPath = draft
            _ = try loader.load()
        }
    }
}
