import Alerts
import Gateway
import GatewayReports
import GatewayRuntime
import ReceiverProtocol
import SondeHubClient

/// The entries of `alerts` in the configuration file, by their numbers from 1.
struct AlertSettings: Equatable {
    /// The most entries.
    static let limit = 8
    private static let placeholders = AlertTarget.placeholders.map { "{\($0)}" }.joined(separator: " ")
    private static let methods = ["POST", "PUT", "GET"]
    private static let keys =
        "url, events, method, headers, headers_file, secret, body, max_per_hour and only_if: {within_km}"

    private static let types: [String: (type: ConfigurationKey.ValueType, words: String)] = [
        "url": (.text, "a text"), "secret": (.text, "the name of a line of \(AlertSecrets.name)"),
        "method": (.text, "a text"), "body": (.text, "a text"),
        "max_per_hour": (.wholeNumber, "a whole number from 1 to 200, without quotes"),
        "only_if.within_km": (.number, "a number of kilometres from 0.1 to 20000, without quotes"),
    ]

    private var entries: [Int: AlertTarget] = [:]
    /// The files with further headers; the entry's number is the key.
    private var files: [Int: String] = [:]

    var targets: [AlertTarget] { entries.sorted { $0.key < $1.key }.map(\.value) }

    /// - Parameter key: `1.url`, `2.headers.Title`: the key below `alerts`.
    /// - Returns: why the value is refused; nil if it is accepted.
    mutating func apply(_ value: ConfigurationFile.Value, to key: String) -> String? {
        let levels = key.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard levels.count == 2, let number = Int(levels[0]) else { return "give a list of entries with \(Self.keys)" }
        guard number <= Self.limit else { return "more than \(Self.limit) alerts are not accepted" }
        var target = entries[number] ?? AlertTarget()
        defer { entries[number] = target }
        switch value {
        case .list(let items):
            guard levels[1] == "events" else { return "a list is not accepted here" }
            if let wrong = items.first(where: { EventName(rawValue: $0.text) == nil })?.text.plainLine(limit: 60) {
                return "give names of events, not \"\(wrong)\""
                    + Vocabulary.suggestion(for: wrong, among: EventName.allCases.map(\.rawValue))
            }
            guard !items.isEmpty else { return "give names of events, for example [burst, landed]" }
            target.events = Set(items.compactMap { EventName(rawValue: $0.text) })
            return nil
        case .scalar(let scalar):
            guard scalar.kind != .null else { return "null is not accepted; remove the key" }
            if levels[1] == "headers_file" {
                files[number] = scalar.text
                return nil
            }
            let key = String(levels[1])
            if let wanted = Self.types[key], !wanted.type.accepts(scalar.kind) { return "give \(wanted.words)" }
            return Self.set(key, to: scalar.text, &target)
        }
    }

    private static func set(_ key: String, to text: String, _ target: inout AlertTarget) -> String? {
        switch key {
        case "url":
            target.url = text
            if target.host.contains("{") { return "a placeholder can't stand in the host" }
            if let fault = unknownPlaceholder(in: text, takesSecret: true) { return fault }
            if isSound(text), let odd = WebAddress.oddCharacter(in: target.example.url) { return advice(for: odd) }
            return isSound(text) && AlertClient.accepts(target.example.url)
                ? nil : "not accepted; give an https URL (http for this machine and its network only)"
        case "method":
            target.method = text
            return methods.contains(text) ? nil : "give \(methods.joined(separator: ", "))"
        case "secret":
            target.secretName = text
            return AlertSecrets.isName(text) ? nil : "give a name of 1 to 32 letters, digits, - and _"
        case "body":
            target.body = text
            return text.utf8.count <= 4096 ? unknownPlaceholder(in: text) : "is longer than 4096 bytes"
        case "max_per_hour":
            target.mostPerHour = Int(text) ?? 0
            return (1...200).contains(target.mostPerHour) ? nil : "give a whole number from 1 to 200"
        case "only_if.within_km":
            target.withinKilometres = Double(text)
            return target.withinKilometres.map { (0.1...20_000).contains($0) } ?? false
                ? nil : "give a number of kilometres from 0.1 to 20000"
        default:
            guard key.hasPrefix("headers.") else { return "unknown key; an alert has \(keys)" }
            let isHeader = add(AlertTarget.Header(String(key.dropFirst(8)), value: text), to: &target)
            return isHeader ? unknownPlaceholder(in: text, takesSecret: true) : "is no header that can be sent"
        }
    }

    private static func advice(for odd: Character) -> String {
        let escaped = odd.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
        return "\"\(odd)\" can't stand in an address; write \(escaped)"
    }

    private static func unknownPlaceholder(in text: String, takesSecret: Bool = false) -> String? {
        AlertTarget.unknownPlaceholder(in: text, takesSecret: takesSecret).map { name in
            "{\(name)} is no placeholder here; known are \(placeholders)\(takesSecret ? " {secret}" : "")"
        }
    }

    /// - Returns: false if it can't be sent.
    private static func add(_ header: AlertTarget.Header, to target: inout AlertTarget) -> Bool {
        let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
        let isName = !header.name.isEmpty && header.name.allSatisfy { letters.contains($0) }
        let isReserved = ["host", "content-length", "transfer-encoding", "connection"].contains(
            header.name.lowercased())
        guard isName, !isReserved, isSound(header.value), target.headers.count < 32 else { return false }
        target.headers.append(header)
        return true
    }

    private static func isSound(_ text: String) -> Bool {
        text.utf8.count <= 2048 && text.unicodeScalars.allSatisfy { $0.value >= 32 && $0.value != 127 }
    }

    /// Reads the secrets and the header files, and checks that each entry is whole.
    /// - Returns: what is wrong, one line each.
    mutating func complete(with secrets: AlertSecrets) -> [String] {
        var found: [String] = []
        for (number, target) in entries.sorted(by: { $0.key < $1.key }) {
            if target.url.isEmpty { found.append("alerts.\(number): needs a url") }
            if target.secretName != nil || target.needsSecret {
                do throws(AlertSecrets.Missing) {
                    entries[number]?.secret = try secrets.secret(for: target)
                } catch {
                    found.append("alerts.\(number).secret: \(error.text)")
                }
            }
            guard let path = files[number] else { continue }
            let name = "alerts.\(number).headers_file: \(path)"
            do throws(SmallFile.Fault) {
                for line in try SmallFile.text(of: path, maximumLength: 4096).split(whereSeparator: \.isNewline) {
                    let parts = line.split(separator: ":", maxSplits: 1).map { $0.trimmed }
                    let header = AlertTarget.Header(parts.count == 2 ? parts[0] : "", value: parts.last ?? "")
                    if !Self.add(header, to: &entries[number, default: AlertTarget()]) {
                        found.append("\(name) has a line that is no header; write \"Name: value\"")
                    } else if AlertTarget.unknownPlaceholder(in: header.value) != nil {
                        // The value may be a secret, so it is not shown.
                        found.append("\(name) has an unknown placeholder; known are \(Self.placeholders)")
                    }
                }
            } catch {
                found.append("\(name) \(error.text); give a text file with lines \"Name: value\"")
            }
        }
        return found
    }

    /// The lines of `doctor`.
    var findings: [Finding] {
        targets.map { target in
            let place = target.withinKilometres.map { " within \($0) km" } ?? ""
            return Finding.note(
                "alerts", "\(target.events.count) kinds of events\(place) go to \(target.host); no alert is tried here")
        }
    }
}
