import GatewayReports

/// The members of a message that the board keeps: those that it shows, if they have the right type and are within their
/// limits. A broker holds whatever its users have written, and one car's values must not disturb the page of all.
extension BoardTopic {
    private indirect enum Member {
        /// A text of at most this many bytes.
        case text(Int)
        /// A number within these limits.
        case number(ClosedRange<Double>)
        case truth
        /// An object with these members.
        case group([String: Member])
        /// At most ``mostPoints`` points of a line: `[time, latitude, longitude]` and a few numbers more.
        case line
    }

    /// The most points that are kept of a line. A gateway sends at most 300.
    private static let mostPoints = 300
    private static let (fewestNumbers, mostNumbers) = (3, 5)
    private static let latitudes = -90.0...90
    private static let longitudes = -180.0...180
    private static let milliseconds = -1e15...1e15
    private static let metres = Member.number(-10_000...100_000_000)
    private static let metresPerSecond = Member.number(-10_000...10_000)
    private static let seconds = Member.number(-10_000_000_000...10_000_000_000)
    /// A word, a name or a time.
    private static let word = Member.text(64)

    /// A longer payload is refused, bytes. A gateway's payloads are shorter.
    var longestPayload: Int {
        switch self {
        case .track, .prediction, .landing: 40_000
        case .bridgeState, .uplink, .state, .position, .radio, .chase, .flight, .recovery, .health: 16_384
        }
    }

    private var members: [String: Member] {
        switch self {
        case .bridgeState, .uplink: [:]
        case .state: Self.words("serial", "state", "phase", "source", "link")
        case .position:
            Self.words("serial", "source", "time", "sonde_type").and(Self.place).and([
                "altitude_m": Self.metres, "horizontal_speed_mps": Self.metresPerSecond,
                "vertical_speed_mps": Self.metresPerSecond,
            ])
        case .radio:
            Self.words("serial", "source", "time").and([
                "frequency_mhz": .number(0...10_000), "rssi_dbm": .number(-1000...1000),
                "battery_pct": .number(0...100),
            ])
        case .chase:
            [
                "car": .group(
                    Self.words("time").and(Self.place).and([
                        "course_deg": .number(-360...360), "speed_mps": Self.metresPerSecond,
                    ])),
                "landing": .group(["distance_m": Self.metres]),
                "route": .group(
                    Self.words("arrival_at", "method").and(["distance_m": Self.metres, "duration_s": Self.seconds])),
                "margin_s": Self.seconds,
            ]
        case .flight: Self.words("serial", "phase")
        case .landing:
            Self.words("serial", "source", "time", "method", "landing_at").and(Self.place).and([
                "error_radius_50_m": Self.metres, "error_radius_90_m": Self.metres, "landing_error_50_s": Self.seconds,
            ])
        case .prediction:
            Self.words("serial", "method", "landing_at").and(["error_radius_90_m": Self.metres, "path": .line])
        case .track: ["serial": Self.word, "points": .line]
        case .recovery:
            Self.words("serial", "state", "time").and(Self.place).and(["by": .text(200), "note": .text(500)])
        case .health:
            Self.words("at").and(["uptime_s": Self.seconds, "clock_synced": .truth, "other_gateway": .text(500)])
        }
    }

    private static func words(_ names: String...) -> [String: Member] {
        Dictionary(uniqueKeysWithValues: names.map { ($0, word) })
    }

    private static var place: [String: Member] {
        ["latitude": .number(latitudes), "longitude": .number(longitudes)]
    }

    /// The part of a payload that the board shows; nil if the payload doesn't fit this topic.
    func kept(of json: JSONValue) -> JSONValue? {
        guard !isWord else { return Self.kept(json, as: Self.word) }
        return Self.kept(json, as: .group(members))
    }

    private static func kept(_ value: JSONValue, as member: Member) -> JSONValue? {
        switch (member, value) {
        case (.text(let limit), .string(let text)): kept(text, upTo: limit)
        case (.number(let range), .integer), (.number(let range), .number):
            value.asDouble.map(range.contains) == true ? value : nil
        case (.truth, .bool): value
        case (.group(let members), .object(let object)):
            .object(
                members.reduce(into: [:]) { found, one in
                    found[one.key] = object[one.key].flatMap { kept($0, as: one.value) }
                })
        case (.line, .array(let points)): .array(points.filter(isPoint).prefix(mostPoints).map { $0 })
        case (.text, _), (.number, _), (.truth, _), (.group, _), (.line, _): nil
        }
    }

    /// A text without the blanks and line ends around it, which some programs write.
    private static func kept(_ text: String, upTo limit: Int) -> JSONValue? {
        let bytes = text.utf8
        guard let first = bytes.firstIndex(where: { $0 > 32 }), let last = bytes.lastIndex(where: { $0 > 32 })
        else { return .string("") }
        let inner = bytes[first...last]
        return inner.count <= limit ? .string(String(decoding: inner, as: UTF8.self)) : nil
    }

    private static func isPoint(_ value: JSONValue) -> Bool {
        guard case .array(let values) = value, fewestNumbers...mostNumbers ~= values.count else { return false }
        let limits = [milliseconds, latitudes, longitudes]
        return values.indices.allSatisfy { index in
            kept(values[index], as: .number(index < limits.count ? limits[index] : -1e9...1e9)) != nil
        }
    }
}

extension Dictionary {
    /// The members of both; of two equal keys the own one.
    fileprivate func and(_ others: Self) -> Self { merging(others) { one, _ in one } }
}
