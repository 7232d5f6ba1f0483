import ReceiverProtocol

/// A sonde's landing point that was set by hand, as the store keeps it: `V4210150 47.1 8.2`.
struct StoredPlace: Equatable, Sendable {
    var serial: SondeSerial
    var place: Coordinate

    var text: String { "\(serial.canonical) \(place.latitude) \(place.longitude)" }

    init(_ serial: SondeSerial, _ place: Coordinate) {
        (self.serial, self.place) = (serial, place)
    }

    /// - Returns: nil when it is none, as in a damaged store.
    init?(_ text: String) {
        let parts = text.split(separator: " ")
        guard parts.count == 3, let serial = SondeSerial(name: String(parts[0]), type: .other("")),
            let latitude = Double(parts[1]), let longitude = Double(parts[2])
        else { return nil }
        let place = Coordinate(latitude: latitude, longitude: longitude)
        guard place.isOnEarth else { return nil }
        self.init(serial, place)
    }
}
