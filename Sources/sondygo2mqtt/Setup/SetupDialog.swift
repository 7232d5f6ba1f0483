import BluetoothProtocol
import Gateway
import GatewayReports
import ReceiverProtocol
import TransportIO

/// Asks the questions of `setup` on the terminal, in the language of the first answer.
struct SetupDialog {
    let configuration: Configuration
    /// The file of the user that holds a key, for a key that the user's file sets.
    let standing: (String) -> String?
    let terminal = SetupTerminal()
    private(set) var answers: SetupAnswers
    private var texts: SetupTexts

    /// How long the broker has for its answer.
    private static let brokerLimit = Duration.seconds(5)

    /// - Parameter answers: those that flags gave; they are not asked.
    init(_ configuration: Configuration, besides answers: SetupAnswers, standing: @escaping (String) -> String?) {
        (self.configuration, self.answers, self.standing) = (configuration, answers, standing)
        texts = SetupTexts(Self.language(answers, configuration))
    }

    private static func language(_ answers: SetupAnswers, _ configuration: Configuration) -> Language {
        answers.applied(to: configuration).language
    }

    mutating func run() async {
        let given = answers
        for question in SetupQuestion.allCases where given[question] == nil && !isStanding(question) {
            switch question {
            case .language:
                ask(question)
                texts = SetupTexts(Self.language(answers, configuration))
            case .broker: if !given.hasBroker { await askForBroker() }
            case .user, .password: break  // They belong to the broker.
            case .receiver: ask(question, numbered: receivers())
            case .site: await askForSite()
            case .id, .place, .tablets, .callSign, .roads, .route: ask(question)
            }
        }
    }

    /// Says so if the user's own file has the answer.
    private func isStanding(_ question: SetupQuestion) -> Bool {
        guard let key = question.keys.first(where: { standing($0) != nil }), let file = standing(key) else {
            return false
        }
        writeLine(texts.stands(key, in: file))
        return true
    }

    /// Asks until the answer is accepted. Enter keeps the value.
    /// - Parameter numbered: answers of which the user may type the number.
    private mutating func ask(_ question: SetupQuestion, numbered: [String] = []) {
        let hint = numbered.isEmpty ? "" : texts.orNumber
        while true {
            writeLine("\(texts.question(question))\(hint) [\(shown(question))]:")
            guard let typed = terminal.readAnswer(), !typed.isEmpty else { return }
            let chosen = Int(typed).flatMap { numbered.indices.contains($0 - 1) ? numbered[$0 - 1] : nil } ?? typed
            if question.values(for: chosen) != nil { return answers[question] = chosen }
            refuse(typed, question)
        }
    }

    /// The present value, which Enter keeps.
    private func shown(_ question: SetupQuestion) -> String {
        SetupQuestion.shown(question.present(in: configuration), in: Self.language(answers, configuration))
    }

    private func refuse(_ answer: String, _ question: SetupQuestion) {
        writeLine("  " + texts.refused(answer, question))
    }

    // MARK: - The broker

    /// Asks for the broker until it accepts the gateway, or the user changes nothing more.
    private mutating func askForBroker() async {
        while true {
            answers.dropBroker()
            ask(.broker)
            ask(.user)
            if !SetupQuestion.isNone(answers[.user] ?? SetupQuestion.user.present(in: configuration)) {
                writeLine("\(texts.question(.password)) [\(SetupQuestion.password.present(in: configuration))]:")
                if let secret = terminal.readSecret(), !secret.isEmpty { answers.password = secret }
            }
            writeLine(texts.testingBroker)
            let findings = await Self.test(answers.applied(to: configuration))
            for finding in findings { writeLine("  " + texts.finding(finding)) }
            if findings.contains(where: { $0.verdict == .ok }) { return }
            guard answers.hasBroker else { return }
            writeLine("  " + texts.brokerNotKept)
        }
    }

    /// Whether the brokers of a configuration accept the gateway.
    static func test(_ configuration: Configuration) async -> [Finding] {
        await BrokerCheckup(configuration: configuration, isThorough: false).findings(within: brokerLimit)
    }

    // MARK: - The site

    private mutating func askForSite() async {
        let list = await SiteList.fetched(configuration)
        let place = answers.applied(to: configuration).sondeHubOptions.place
        let near = place.flatMap { list?.nearest(to: $0) } ?? []
        if !near.isEmpty { writeLine(texts.sitesNear) }
        for (index, entry) in near.enumerated() {
            writeLine("  \(index + 1)  \(entry.site.name), \(entry.kilometres) km (\(entry.site.id))")
        }
        let hint = near.isEmpty ? "" : texts.orNumber
        let question = SetupQuestion.site
        while true {
            writeLine("\(texts.question(question))\(hint) [\(shown(question))]:")
            guard let typed = terminal.readAnswer(), !typed.isEmpty else { return }
            switch Self.site(typed, in: list, shown: near.map(\.site)) {
            case .success(let number):
                if list == nil, number != SetupQuestion.none { writeLine("  " + texts.sitesUnknown) }
                return answers[question] = number
            case .failure(let refusal):
                writeLine("  " + texts.noSuchSite(typed, refusal))
            }
        }
    }

    struct NoSuchSite: Error {
        /// The sites that are meant, perhaps.
        var suggestion = ""
        /// SondeHub does not answer, so only a number can be taken.
        var isUnchecked = false
    }

    /// The site that an answer names. Without a list any number may be one.
    static func site(
        _ answer: String, in list: SiteList?, shown: [LaunchSite] = []
    ) -> Result<String, NoSuchSite> {
        if SetupQuestion.isNone(answer) { return .success(SetupQuestion.none) }
        guard let list else {
            return SondeHubOptions.isSite(answer) ? .success(answer) : .failure(NoSuchSite(isUnchecked: true))
        }
        if let number = list.number(of: answer, shown: shown) { return .success(number) }
        let near = list.suggestions(for: answer).map { "\($0.id) (\($0.name))" }
        return .failure(NoSuchSite(suggestion: near.isEmpty ? "" : "; \(near.joined(separator: ", "))?"))
    }

    // MARK: - The receiver

    /// The addresses of the receivers in Bluetooth range, which are printed; none, with the reason, if this box can't
    /// scan.
    private func receivers() -> [String] {
        writeLine(texts.lookingForReceivers)
        let rows: [ScanTable.Row]
        do throws(TransportError) {
            rows = try ReceiverSearch.run(configuration.receiver)
        } catch {
            writeLine("  \(error.detail)")
            return []
        }
        if rows.isEmpty { writeLine("  " + texts.noReceiver) }
        for (number, row) in rows.enumerated() {
            writeLine("  \(number + 1)  \(row.device.address.address)  \(row.device.data.name ?? "-")")
        }
        return rows.map { $0.device.address.address.description }
    }
}
