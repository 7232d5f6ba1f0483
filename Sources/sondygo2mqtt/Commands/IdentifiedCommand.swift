import Gateway
import GatewayReports

/// A command with an id; its answers repeat the id.
struct IdentifiedCommand {
    let text: String
    /// A text or a number.
    let id: JSONValue

    /// Nil if the text is not a JSON object, is too long, or has an id that is neither a text nor a number.
    /// - Parameter defaultID: for a command without an id; plain letters.
    init?(_ command: String, defaultID: String) {
        guard case .object(let members)? = JSONValue(json: Array(command.utf8)), let brace = command.firstIndex(of: "{")
        else { return nil }
        switch members["id"] {
        case .null?:
            // It is no id. The text is written anew, because it may hold the key once only.
            var json = JSONText()
            json.field("id", defaultID)
            for (key, value) in members.sorted(by: { $0.key < $1.key }) where key != "id" { json.field(key, value) }
            text = String(decoding: json.object, as: UTF8.self)
            id = .string(defaultID)
        case nil:
            let rest = command[command.index(after: brace)...]
            text = command[...brace] + "\"id\":\"\(defaultID)\"" + (members.isEmpty ? "" : ",") + rest
            id = .string(defaultID)
        case let id? where id.isTextOrNumber: (text, self.id) = (command, id)
        case .some: return nil
        }
        guard text.utf8.count <= CommandDecoder.maximumLength else { return nil }
    }
}

extension JSONValue {
    fileprivate var isTextOrNumber: Bool {
        switch self {
        case .string, .integer, .number, .digits: true
        case .null, .bool, .array, .object: false
        }
    }
}
