/// The gateway's topic names, all below `<base>/<id>`.
public struct Topics: Equatable, Sendable {
    /// `<base>/<id>`.
    public let prefix: String

    /// - Returns: nil unless every level of both is of `[a-z0-9_-]+`; the id is a single level.
    public init?(base: String, id: String) {
        guard Self.areLevels(base), Self.areLevels(id), !id.utf8.contains(UInt8(ascii: "/")) else { return nil }
        prefix = "\(base)/\(id)"
    }

    public var bridgeState: String { prefix + "/bridge/state" }
    public var receiverState: String { prefix + "/receiver/state" }
    public var position: String { prefix + "/position" }
    public var radio: String { prefix + "/radio" }
    public var settings: String { prefix + "/settings" }
    public var state: String { prefix + "/state" }
    public var tracker: String { prefix + "/tracker" }
    public var health: String { prefix + "/health" }
    public var flight: String { prefix + "/flight" }
    public var proposal: String { prefix + "/proposal" }
    public var event: String { prefix + "/event" }
    public var command: String { prefix + "/command" }
    public var commandResponse: String { prefix + "/command/response" }
    public var frequencySet: String { prefix + "/frequency/set" }
    public var sondeTypeSet: String { prefix + "/sonde_type/set" }
    public var muteSet: String { prefix + "/mute/set" }
    public var requestSettings: String { prefix + "/request/settings" }

    /// Where what was missed on a topic of ours is replayed: `<p>/history/position`.
    public func history(of topic: String) -> String { prefix + "/history" + topic.dropFirst(prefix.count) }

    /// What the gateway subscribes to.
    public var subscriptions: [String] { [command, frequencySet, sondeTypeSet, muteSet, requestSettings] }

    /// Whether an answer may go to `topic`: an ordinary topic, and none that the gateway speaks on itself.
    public func mayAnswer(on topic: String) -> Bool {
        let bytes = topic.utf8
        guard !bytes.isEmpty, bytes.count <= 256, bytes.first != UInt8(ascii: "$"),
            !bytes.contains(where: { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "#") || $0 < 0x20 })
        else { return false }
        return topic.hasPrefix(commandResponse) || !topic.hasPrefix(prefix + "/")
    }

    private static func areLevels(_ text: String) -> Bool {
        text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).allSatisfy { level in
            !level.isEmpty
                && level.allSatisfy { byte in
                    switch byte {
                    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                        UInt8(ascii: "_"), UInt8(ascii: "-"):
                        true
                    default: false
                    }
                }
        }
    }
}
