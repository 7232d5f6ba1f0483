import FlightMath
public import Gateway
public import GatewayReports
import ReceiverProtocol

/// SondeHub's launch sites, `{"06610":{"station":"06610","position":[6.94,46.81],"alt":490,"station_name":"Payerne",
/// "times":["0:11:00","0:23:00"],"burst_altitude":33000,"ascent_rate":5.2,"descent_rate":6.1},…}`. Positions are
/// longitude, latitude. `rs_types` has WMO's codes of radiosondes (table 3685), some with a frequency: `["41"]`,
/// `[["41","404.300"]]`.
public enum SiteFormat {
    /// The most sites of an answer that are used.
    public static let limit = 5000
    private static let longestName = 80

    /// Leaves out sites without a plausible position.
    /// - Throws: `refused` if the answer is no JSON; `malformed` if it is broken; `status` if it is an error object.
    public static func decode(_ answer: [UInt8]) throws(OnlineServiceError) -> [LaunchSite] {
        let text = answer.span
        var cursor = try JSONCursor(in: answer, behind: UInt8(ascii: "{"), "object")
        var sites: [LaunchSite] = []
        while let key = try cursor.nextKey(text) {
            let id = JSONCursor.decoded(text, key) ?? ""
            guard try cursor.enter(UInt8(ascii: "{"), text) else { continue }
            var fields = Fields()
            try fields.read(text, &cursor)
            if sites.count < limit, let site = fields.site(id) { sites.append(site) }
        }
        if sites.isEmpty, let error = ErrorObject(answer) {
            throw OnlineServiceError(.status, "the answer is an error: \(error.text)")
        }
        return sites
    }

    private struct Fields {
        private var name: String?
        private var position: [Double] = []
        private var times: [LaunchSite.Time] = []
        private var tunings: [Tuning] = []
        private var altitude, ascent, descent, burst, descentSpread, burstSpread: Double?

        mutating func read(_ text: Span<UInt8>, _ cursor: inout JSONCursor) throws(OnlineServiceError) {
            while let key = try cursor.nextKey(text) {
                if JSONCursor.isEqual(text, key, to: "station_name") {
                    name = try cursor.text(text)
                } else if JSONCursor.isEqual(text, key, to: "position") {
                    try readPosition(text, &cursor)
                } else if JSONCursor.isEqual(text, key, to: "times") {
                    try readTimes(text, &cursor)
                } else if JSONCursor.isEqual(text, key, to: "rs_types") {
                    try readTypes(text, &cursor)
                } else if JSONCursor.isEqual(text, key, to: "alt") {
                    altitude = try cursor.number(text)
                } else if JSONCursor.isEqual(text, key, to: "ascent_rate") {
                    ascent = try cursor.number(text)
                } else if JSONCursor.isEqual(text, key, to: "descent_rate") {
                    descent = try cursor.number(text)
                } else if JSONCursor.isEqual(text, key, to: "burst_altitude") {
                    burst = try cursor.number(text)
                } else if JSONCursor.isEqual(text, key, to: "descent_std") {
                    descentSpread = try cursor.number(text)
                } else if JSONCursor.isEqual(text, key, to: "burst_std") {
                    burstSpread = try cursor.number(text)
                } else {
                    try cursor.pass(text)
                }
            }
        }

        private mutating func readPosition(_ text: Span<UInt8>, _ cursor: inout JSONCursor) throws(OnlineServiceError) {
            guard try cursor.enter(UInt8(ascii: "["), text) else { return }
            while try cursor.nextElement(text) {
                let number = try cursor.number(text)
                if position.count < 2 { position.append(number ?? .nan) }
            }
        }

        private mutating func readTimes(_ text: Span<UInt8>, _ cursor: inout JSONCursor) throws(OnlineServiceError) {
            guard try cursor.enter(UInt8(ascii: "["), text) else { return }
            while try cursor.nextElement(text) {
                let time = try cursor.text(text).flatMap(LaunchSite.Time.init)
                if let time, times.count < LaunchSite.mostTimes { times.append(time) }
            }
        }

        private mutating func readTypes(_ text: Span<UInt8>, _ cursor: inout JSONCursor) throws(OnlineServiceError) {
            guard try cursor.enter(UInt8(ascii: "["), text) else { return }
            while try cursor.nextElement(text) {
                // A code without a frequency is no tuning.
                guard try cursor.enter(UInt8(ascii: "["), text) else { continue }
                var words: [String] = []
                while try cursor.nextElement(text) {
                    if let word = try cursor.text(text), words.count < 2 { words.append(word) }
                }
                guard words.count == 2, let type = SondeType(wmoCode: words[0]), let frequency = Double(words[1]),
                    let tuning = Tuning(frequencyMHz: frequency, sondeType: type),
                    tunings.count < LaunchSite.mostTunings
                else { continue }
                tunings.append(tuning)
            }
        }

        /// Nil without a plausible position.
        func site(_ id: String) -> LaunchSite? {
            guard !id.isEmpty, id.utf8.count <= 16, position.count == 2, abs(position[0]) <= 180,
                abs(position[1]) <= 90
            else { return nil }
            let known = String((name ?? id).filter { !$0.isNewline }.prefix(SiteFormat.longestName))
            var site = LaunchSite(
                id, name: known, coordinate: Coordinate(latitude: position[1], longitude: position[0]),
                altitudeMetres: Self.plausible(altitude, -500...6000) ?? 0, times: times)
            site.ascentRate = Self.plausible(ascent, 1...15)
            site.descentRate = Self.plausible(descent, 1...30)
            site.burstAltitudeMetres = Self.plausible(burst, 1000...50_000)
            site.descentSpread = Self.plausible(descentSpread, 0...15)
            site.tunings = tunings
            site.burstSpread = Self.plausible(burstSpread, 0...20_000)
            return site
        }

        private static func plausible(_ value: Double?, _ range: ClosedRange<Double>) -> Double? {
            value.flatMap { range.contains($0) ? $0 : nil }
        }
    }
}
