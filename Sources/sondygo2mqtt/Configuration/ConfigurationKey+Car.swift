import Gateway

extension ConfigurationKey {
    /// The keys below `car`.
    static let car: [ConfigurationKey] = [
        names("car.sources", \.car.sources).live.shown,
        optional("car.owntracks", \.car.ownTracks, accepts: "a topic such as owntracks/crew/phone1", where: isTopic),
        parsed("car.nmea", \.car.nmea, absent: [], accepts: "a list of \(NMEAPlace.accepted), up to 8", as: .list) {
            text in
            let items = text.split(separator: ",").map { $0.trimmed }
            let places = items.compactMap(NMEAPlace.init)
            return places.count == items.count && items.count <= 8 ? places : nil
        },
        parsed(
            "car.gdl90", \.car.gdl90, absent: nil, accepts: "a UDP port from 1 to 65535, usually 4000", as: .wholeNumber
        ) { text in
            Int(text).flatMap { 1...65_535 ~= $0 ? .some($0) : nil }
        }.shown,
    ]
}
