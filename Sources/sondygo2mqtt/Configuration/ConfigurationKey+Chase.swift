import FlightMath
import GatewayReports

extension ConfigurationKey {
    /// The keys below `flight` and `announce`.
    static let chase: [ConfigurationKey] = [
        optional("flight.ground_altitude", \.groundAltitude, in: -500...9000),
        optional("flight.terrain", \.terrain, accepts: "an absolute path") { $0.hasPrefix("/") },
        places("flight.launch_sites", \.launchSites).shown,
        names("announce.quiet", \.quietEvents, of: "names of events", mayBeEmpty: true).live.shown,
        choice("announce.language", \.language).live,
        parsed(
            "announce.altitude_step_m", \.altitudeStep, absent: 0, accepts: "0, or a number from 500.0 to 20000.0",
            as: .number
        ) { text in
            Double(text).flatMap { $0 == 0 || (500...20_000).contains($0) ? $0 : nil }
        }.live.shown,
        integer("announce.status_minutes", \.statusMinutes, in: 0...120).live,
    ]

    /// Up to eight places, each as `latitude longitude`; may be empty.
    private static func places(_ path: String, _ property: any Path<[Coordinate]>) -> ConfigurationKey {
        ConfigurationKey(
            path: path, accepted: "a list of places such as \"46.8131 6.9437\", up to 8, or []", type: .list,
            isOptional: true
        ) { configuration, text in
            let items = (text ?? "").isEmpty ? [] : (text ?? "").split(separator: ",", omittingEmptySubsequences: false)
            let places = items.compactMap { place($0) }
            guard places.count == items.count, places.count <= 8 else { return false }
            configuration[keyPath: property] = places
            return true
        }
    }

    private static func place(_ text: Substring) -> Coordinate? {
        let numbers = text.split(separator: " ").map { Double($0) }
        guard numbers.count == 2, let latitude = numbers[0], let longitude = numbers[1] else { return nil }
        let place = Coordinate(latitude: latitude, longitude: longitude)
        return place.isOnEarth ? place : nil
    }
}
