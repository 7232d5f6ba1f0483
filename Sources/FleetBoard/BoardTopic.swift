import GatewayReports

/// The topics of a car that the board shows. The broker retains all of them, so the board has no store.
enum BoardTopic: String, CaseIterable {
    case bridgeState = "bridge/state"
    /// `1` while the car's bridge is connected; `0`, which is the bridge's will, while it is not; absent without a
    /// bridge.
    case uplink = "bridge/uplink"
    case state, position, radio, chase, flight, landing, prediction, track, recovery, health

    /// Whether the payload is a word, not a JSON object.
    var isWord: Bool { self == .bridgeState || self == .uplink }
}

extension JSONValue {
    /// The member of an object; nil if it is absent or null.
    subscript(key: String) -> JSONValue? {
        guard case .object(let members) = self, let value = members[key], value != .null else { return nil }
        return value
    }

    var asText: String? { if case .string(let text) = self { text } else { nil } }
    var asTruth: Bool? { if case .bool(let truth) = self { truth } else { nil } }
}
