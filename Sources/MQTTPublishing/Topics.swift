import Gateway
public import GatewayReports

/// The gateway's topic names, all below `<base>/<id>`.
public struct Topics: Equatable, Sendable {
    /// `<base>/<id>`.
    public let prefix: String
    /// The part before the id. Several gateways may share it.
    let base: String

    /// - Returns: nil unless each level of both matches `[a-z0-9_-]+` and the id is a single level.
    public init?(base: String, id: String) {
        guard Self.areLevels(base), Self.areLevels(id), !id.utf8.contains(UInt8(ascii: "/")) else { return nil }
        prefix = "\(base)/\(id)"
        self.base = base
    }

    public subscript(kind: Report.Kind) -> String { "\(prefix)/\(kind.rawValue)" }

    public var bridgeState: String { prefix + "/bridge/state" }
    public var tracker: String { prefix + "/tracker" }
    /// The values that Home Assistant's entities read.
    public var homeAssistantState: String { prefix + "/homeassistant/state" }
    public var homeAssistantEvent: String { prefix + "/homeassistant/event" }
    public var command: String { prefix + "/command" }
    public var frequencySet: String { prefix + "/frequency/set" }
    public var sondeTypeSet: String { prefix + "/sonde_type/set" }
    public var muteSet: String { prefix + "/mute/set" }
    public var requestSettings: String { prefix + "/request/settings" }

    /// The topic on which missed reports of a kind are replayed: `<p>/history/position`.
    public func history(of kind: Report.Kind) -> String { "\(prefix)/history/\(kind.rawValue)" }

    /// The topics to which the gateway subscribes.
    public var subscriptions: [String] { commands + [self[.info], bridgeState] }

    /// The command topics. The session must deliver their retain flag, because a retained command is refused.
    public var commands: [String] { [command, frequencySet, sondeTypeSet, muteSet, requestSettings] }

    /// The kind of command topic; nil if `topic` is none.
    func door(of topic: String) -> CommandDoor? {
        switch topic {
        case command: .any
        case frequencySet: .frequency
        case sondeTypeSet: .sondeType
        case muteSet: .mute
        case requestSettings: .requestSettings
        default: nil
        }
    }

    /// OwnTracks' topics begin with this.
    private static let ownTracks = "owntracks"

    /// Whether an answer may go to `topic`. It must be an ordinary topic outside those of gateways, Home Assistant's
    /// discovery and phones. The gateway's own answer topic and topics below it are allowed.
    /// - Parameters:
    ///   - discoveryPrefix: Home Assistant's discovery prefix.
    ///   - phone: the topic on which a phone publishes the car's position.
    func mayAnswer(on topic: String, discoveryPrefix: String?, phone: String?) -> Bool {
        let bytes = topic.utf8
        guard !bytes.isEmpty, bytes.count <= 256, bytes.first != UInt8(ascii: "$"),
            !bytes.contains(where: { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "#") || $0 < 0x20 || $0 == 0x7f })
        else { return false }
        let own = self[.answer]
        if topic == own || topic.hasPrefix(own + "/") { return true }
        return ![base, discoveryPrefix, Self.ownTracks, phone].compactMap { $0 }.contains {
            topic == $0 || topic.hasPrefix($0 + "/")
        }
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
