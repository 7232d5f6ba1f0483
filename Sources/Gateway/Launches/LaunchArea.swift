import FlightMath

/// The site, centre and radius by which the launch sites were chosen. They are chosen again when the crew has moved on,
/// or the configuration names another site.
struct LaunchArea: Equatable, Sendable {
    /// Its number; nil for none.
    var site: String?
    /// The car, the configured place or the site; nil if none is known.
    var centre: Coordinate?
    var radiusMetres: Double

    init(_ site: String?, around centre: Coordinate?, radiusMetres: Double) {
        (self.site, self.centre, self.radiusMetres) = (site, centre, radiusMetres)
    }

    /// Whether the sites of this area also serve for `other`.
    func serves(_ other: LaunchArea) -> Bool {
        guard site == other.site, radiusMetres >= other.radiusMetres else { return false }
        guard let centre, let place = other.centre else { return other.centre == nil }
        return centre.isInRegion(of: place)
    }
}

extension LaunchArea: Codable {
    private enum CodingKeys: String, CodingKey {
        case site
        case radiusMetres = "radius_m"
    }

    init(from decoder: any Decoder) throws {
        let area = try decoder.container(keyedBy: CodingKeys.self)
        site = try area.decodeIfPresent(String.self, forKey: .site)
        radiusMetres = try area.decode(Double.self, forKey: .radiusMetres)
        centre = try? Coordinate(onEarth: decoder)
    }

    func encode(to encoder: any Encoder) throws {
        var area = encoder.container(keyedBy: CodingKeys.self)
        try area.encodeIfPresent(site, forKey: .site)
        try area.encode(radiusMetres, forKey: .radiusMetres)
        try centre?.encode(to: encoder)
    }
}
