/// What is known of the versions of MySondyGo's firmware.
///
/// Other receivers send the same frames with versions of their own, so only a version that is in the table is judged.
public enum Firmware {
    struct Row: Sendable {
        /// As the receiver writes it in VER.
        let version: String
        /// Its telemetry has VVEL. Without it the gateway computes the vertical speed from the altitudes.
        let sendsVerticalSpeed: Bool
        /// The speed of M10 and M20 comes in m/s, that of the others in km/h.
        var sendsMetresPerSecond = false
    }

    /// Oldest first.
    static let rows = [
        // Captured frames (`Fixtures/frames/fw2-type1-rs41.raw`). The maker's MySondyGo_2_30.zip was the download in 2024:
        // https://g0cxw.co.uk/2024/07/03/radio-related-but-no-licence-required-or-a-101-things-to-do-with-a-lilygo-ttgo-part-2
        Row(version: "2.30", sendsVerticalSpeed: false, sendsMetresPerSecond: true),
        // Both in the maker's forum, April 2025, with 3.00 as the latest: https://mysondy.altervista.org/Forum, topic 634
        Row(version: "2.40", sendsVerticalSpeed: false),
        // VVEL: https://download.farenight.it/MySondyGoAPI_V3.pdf
        Row(version: "3.00", sendsVerticalSpeed: true),
        // The frames in the maker's description of the protocol.
        Row(version: "3.10", sendsVerticalSpeed: true),
    ]

    private static func row(_ version: String) -> Row? { rows.first { $0.version == version } }

    /// Whether this version sends the speed of M10 and M20 in m/s, and not in km/h.
    public static func sendsMetresPerSecond(_ version: String?) -> Bool {
        version.flatMap(row)?.sendsMetresPerSecond ?? false
    }

    /// Whether this version's telemetry has a vertical speed; nil for a version that is not in the table.
    public static func sendsVerticalSpeed(_ version: String) -> Bool? { row(version)?.sendsVerticalSpeed }

    /// The newest version known; nil if the given one is that, or is not in the table.
    public static func newest(after version: String) -> String? {
        guard row(version) != nil, let newest = rows.last?.version, newest != version else { return nil }
        return newest
    }

    /// What a crew should know of a version, in English: `firmware 2.30: it sends no vertical speed, …`.
    public static func summary(of version: String) -> String {
        guard let row = row(version) else { return "firmware \(version): nothing is known of this version" }
        var facts: [String] = []
        if !row.sendsVerticalSpeed { facts.append("it sends no vertical speed, so the gateway computes it") }
        if row.sendsMetresPerSecond { facts.append("it sends the speed of M10 and M20 in m/s, which is converted") }
        facts.append(newest(after: version).map { "\($0) is known to be newer" } ?? "no newer one is known")
        return "firmware \(version): " + facts.joined(separator: "; ")
    }
}
