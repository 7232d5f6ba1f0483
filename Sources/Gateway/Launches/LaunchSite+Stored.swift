import FlightMath
import ReceiverProtocol

extension LaunchSite: Codable {
    private enum CodingKeys: String, CodingKey {
        case id, name, times, tunings
        case altitudeMetres = "altitude_m"
        case ascentRate = "ascent"
        case descentRate = "descent"
        case burstAltitudeMetres = "burst"
        case descentSpread = "descent_spread"
        case burstSpread = "burst_spread"
    }

    public init(from decoder: any Decoder) throws {
        let site = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try site.decode(String.self, forKey: .id), name: try site.decode(String.self, forKey: .name),
            coordinate: try Coordinate(onEarth: decoder),
            altitudeMetres: try site.decode(Double.self, forKey: .altitudeMetres),
            times: try site.decode(ReadableList<String>.self, forKey: .times).elements.prefix(Self.mostTimes)
                .compactMap { Time($0) })
        ascentRate = try site.decodeIfPresent(Double.self, forKey: .ascentRate)
        descentRate = try site.decodeIfPresent(Double.self, forKey: .descentRate)
        burstAltitudeMetres = try site.decodeIfPresent(Double.self, forKey: .burstAltitudeMetres)
        descentSpread = try site.decodeIfPresent(Double.self, forKey: .descentSpread)
        burstSpread = try site.decodeIfPresent(Double.self, forKey: .burstSpread)
        let stored = try site.decodeIfPresent(ReadableList<String>.self, forKey: .tunings)
        let lists = (stored?.elements ?? []).prefix(Self.mostTunings).map { SearchPlan($0) }
        tunings = lists.compactMap { if case .list(let list)? = $0 { list.first } else { nil } }
    }

    public func encode(to encoder: any Encoder) throws {
        try coordinate.encode(to: encoder)
        var site = encoder.container(keyedBy: CodingKeys.self)
        try site.encode(id, forKey: .id)
        try site.encode(name, forKey: .name)
        try site.encode(altitudeMetres, forKey: .altitudeMetres)
        try site.encode(times.map(\.text), forKey: .times)
        try site.encodeIfPresent(ascentRate, forKey: .ascentRate)
        try site.encodeIfPresent(descentRate, forKey: .descentRate)
        try site.encodeIfPresent(burstAltitudeMetres, forKey: .burstAltitudeMetres)
        try site.encodeIfPresent(descentSpread, forKey: .descentSpread)
        try site.encodeIfPresent(burstSpread, forKey: .burstSpread)
        let texts = tunings.map { "\(Double($0.frequencyKHz) / 1000) \($0.sondeType.name)" }
        try site.encode(texts, forKey: .tunings)
    }
}
