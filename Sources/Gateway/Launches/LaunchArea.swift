import FlightMath
import GatewayReports

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

    var stored: JSONValue {
        var members: [String: JSONValue] = ["radius_m": .number(radiusMetres)]
        members["site"] = site.map { .string($0) }
        members["latitude"] = centre.map { .number($0.latitude) }
        members["longitude"] = centre.map { .number($0.longitude) }
        return .object(members)
    }

    /// Nil if the value is no area.
    init?(stored: JSONValue?) {
        guard case .object(let members)? = stored, let radius = members["radius_m"]?.asDouble else { return nil }
        let site: String? = if case .string(let number)? = members["site"] { number } else { nil }
        var centre: Coordinate?
        if let latitude = members["latitude"]?.asDouble, let longitude = members["longitude"]?.asDouble {
            centre = Coordinate(latitude: latitude, longitude: longitude)
        }
        self.init(site, around: centre.flatMap { $0.isOnEarth ? $0 : nil }, radiusMetres: radius)
    }
}
