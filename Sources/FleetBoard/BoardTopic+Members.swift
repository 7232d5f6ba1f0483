import GatewayReports

/// What the board keeps of a message: the members that it shows, each within a limit. A broker holds whatever its users
/// have written.
extension BoardTopic {
    private indirect enum Member {
        /// A text of at most ``longestText``, a number or a truth.
        case plain
        /// An object with these members.
        case group([String: Member])
        /// Points of a line: at most ``mostPoints`` arrays of a few numbers.
        case line
    }

    private static let longestText = 500
    /// A gateway sends at most 300 points.
    private static let mostPoints = 300
    private static let mostNumbers = 5

    /// The longest payload in bytes. A gateway's are shorter.
    var longestPayload: Int {
        switch self {
        case .track, .prediction, .landing: 40_000
        case .bridgeState, .uplink, .state, .position, .radio, .chase, .flight, .recovery, .health: 16_384
        }
    }

    private var members: [String: Member] {
        switch self {
        case .bridgeState, .uplink: [:]
        case .state: Self.plain("serial", "state", "phase", "source", "link")
        case .position:
            Self.plain(
                "serial", "source", "time", "latitude", "longitude", "altitude_m", "horizontal_speed_mps",
                "vertical_speed_mps", "sonde_type")
        case .radio: Self.plain("serial", "source", "time", "frequency_mhz", "rssi_dbm", "battery_pct")
        case .chase:
            [
                "car": .group(Self.plain("time", "latitude", "longitude", "course_deg", "speed_mps")),
                "landing": .group(Self.plain("distance_m")),
                "route": .group(Self.plain("distance_m", "duration_s", "arrival_at", "method")), "margin_s": .plain,
            ]
        case .flight: Self.plain("serial", "phase")
        case .landing:
            Self.plain(
                "serial", "source", "time", "latitude", "longitude", "method", "error_radius_90_m", "landing_at")
        case .prediction:
            Self.plain("serial", "method", "error_radius_90_m", "landing_at").merging(["path": .line]) { one, _ in one }
        case .track: ["serial": .plain, "points": .line]
        case .recovery: Self.plain("serial", "state", "by", "note", "time", "latitude", "longitude")
        case .health: Self.plain("at", "uptime_s", "clock_synced", "other_gateway")
        }
    }

    private static func plain(_ names: String...) -> [String: Member] {
        Dictionary(uniqueKeysWithValues: names.map { ($0, .plain) })
    }

    /// The part of a value that the board shows; nil if the payload is none of this topic.
    func kept(of json: JSONValue) -> JSONValue? {
        guard !isWord else { return Self.kept(json, as: .plain) }
        return Self.kept(json, as: .group(members))
    }

    private static func kept(_ value: JSONValue, as member: Member) -> JSONValue? {
        switch (member, value) {
        case (.plain, .string(let text)): text.utf8.count <= longestText ? value : nil
        case (.plain, .bool), (.plain, .integer), (.plain, .number): value
        case (.group(let members), .object(let object)):
            .object(
                members.reduce(into: [:]) { found, one in
                    found[one.key] = object[one.key].flatMap { kept($0, as: one.value) }
                })
        case (.line, .array(let points)): .array(points.prefix(mostPoints).compactMap(point))
        case (.plain, .null), (.plain, .digits), (.plain, .array), (.plain, .object), (.group, _), (.line, _): nil
        }
    }

    private static func point(_ value: JSONValue) -> JSONValue? {
        guard case .array(let numbers) = value, numbers.count <= mostNumbers else { return nil }
        return .array(numbers.map { kept($0, as: .plain) ?? .null })
    }
}

extension JSONValue {
    /// About how many bytes of memory it needs.
    var memory: Int {
        switch self {
        case .null, .bool, .integer, .number: 24
        case .digits(let text), .string(let text): 48 + text.utf8.count
        case .array(let values): values.reduce(56) { $0 + $1.memory }
        case .object(let members): members.reduce(96) { $0 + 48 + $1.key.utf8.count + $1.value.memory }
        }
    }
}
