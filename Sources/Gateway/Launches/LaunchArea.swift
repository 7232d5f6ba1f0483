import FlightMath
import GatewayReports

/// The site, centre and radius by which the launch sites were chosen. They are chosen again when the crew has moved on,
/// or the configuration names another site.
struct LaunchArea: Equatable, Sendable {
    /// If the centre moves further, other sites are needed, metres.
    private static let nearMetres = 50_000.0

    var site: String
    /// The car, the configured place or the site; nil if none is known.
    var centre: Coordinate?
    var radiusMetres: Double

    init(_ site: String, around centre: Coordinate?, radiusMetres: Double) {
        (self.site, self.centre, self.radiusMetres) = (site, centre, radiusMetres)
    }

    /// Whether the sites of this area also serve for `other`.
    func serves(_ other: LaunchArea) -> Bool {
        guard site == other.site, radiusMetres >= other.radiusMetres else { return false }
        guard let centre, let place = other.centre else { return other.centre == nil }
        return centre.distanceMetres(to: place) <= Self.nearMetres
    }

    var stored: JSONValue {
        var members: [String: JSONValue] = ["site": .string(site), "radius_m": .number(radiusMetres)]
        members["latitude"] = centre.map { .number($0.latitude) }
        members["longitude"] = centre.map { .number($0.longitude) }
        return .object(members)
    }

    /// Nil if the value is no area.
    init?(stored: JSONValue?) {
        guard case .object(let members)? = stored, case .string(let site)? = members["site"],
            let radius = members["radius_m"]?.asDouble
        else { return nil }
        var centre: Coordinate?
        if let latitude = members["latitude"]?.asDouble, let longitude = members["longitude"]?.asDouble {
            centre = Coordinate(latitude: latitude, longitude: longitude)
        }
        self.init(site, around: centre.flatMap { $0.isOnEarth ? $0 : nil }, radiusMetres: radius)
    }
}
