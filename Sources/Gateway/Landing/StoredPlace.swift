import FlightMath
import ReceiverProtocol

/// A sonde's landing point that was set by hand, in its stored form.
struct StoredPlace: Equatable, Codable, Sendable {
    var serial: SondeSerial
    var place: Coordinate
    /// When the command came; nil if an early version has stored it.
    var at: WallTime?
    /// The sonde was seen to land, so the place counts only if that landing is taken back.
    var isHidden = false

    init(_ serial: SondeSerial, _ place: Coordinate, at: WallTime) {
        (self.serial, self.place, self.at) = (serial, place, at)
    }

    /// - Parameter text: what versions before 1.0.0 stored: `V4210150 47.1 8.2 1795357200000`, with `landed` at the end if
    ///   the sonde was seen to land after that.
    /// - Returns: nil if the text is no stored place, as in a damaged store.
    init?(earlier text: some StringProtocol) {
        var parts = text.split(separator: " ")[...]
        let isHidden = parts.last.map { $0 == "landed" } ?? false
        if isHidden { parts.removeLast() }
        // Names may have blanks.
        let numbers = parts.suffix(parts.count > 3 ? 3 : 2).map { String($0) }
        let name = parts.dropLast(numbers.count).joined(separator: " ")
        guard numbers.count >= 2, let serial = SondeSerial(name: name, type: .other("")),
            let latitude = Double(numbers[0]), let longitude = Double(numbers[1])
        else { return nil }
        let place = Coordinate(latitude: latitude, longitude: longitude)
        guard place.isOnEarth else { return nil }
        (self.serial, self.place, self.isHidden) = (serial, place, isHidden)
        guard numbers.count == 3 else { return }
        guard let milliseconds = Int64(numbers[2]) else { return nil }
        at = WallTime(millisecondsSince1970: milliseconds)
    }
}

/// The landing points that were set by hand, for the last sondes that had one.
struct StoredPlaces: Equatable, Sendable {
    /// The number of sondes. The oldest entry is dropped.
    static let limit = 16

    private var places: [Dated<StoredPlace>] = []

    init() {}

    /// - Parameter stored: what an earlier run has stored.
    init(_ stored: StoredPlaceList) {
        places = stored.places.elements.filter(\.place.isOnEarth).suffix(Self.limit).map { Dated(fromElsewhere: $0) }
    }

    /// For the store; nil if there is no place.
    func stored(by clock: RunClock) -> StoredPlaceList? {
        places.isEmpty ? nil : StoredPlaceList(places: ReadableList(all(by: clock)))
    }

    /// The newest last.
    func all(by clock: RunClock) -> [StoredPlace] { places.map { $0.value(by: clock) } }

    func place(of serial: SondeSerial?) -> Dated<StoredPlace>? { places.last { $0.original.serial == serial } }

    mutating func set(_ place: Dated<StoredPlace>) {
        remove(of: place.original.serial)
        places.append(place)
        if places.count > Self.limit { places.removeFirst() }
    }

    /// Adds the places of `newer`. They replace those of the same sondes.
    mutating func join(_ newer: StoredPlaces) {
        for place in newer.places { set(place) }
    }

    mutating func remove(of serial: SondeSerial?) {
        places.removeAll { $0.original.serial == serial }
    }
}

/// The landing points that were set by hand, in their stored form, the newest last.
struct StoredPlaceList: StoredValue {
    var places: ReadableList<StoredPlace>
}

extension StoredPlaceList {
    /// - Parameter text: one place a line. Other lines are ignored.
    init(earlier text: String) {
        places = ReadableList(text.split(separator: "\n").compactMap { StoredPlace(earlier: $0) })
    }
}

extension StoredPlace: HoldsTimes {
    mutating func replaceTimes(_ replacement: (WallTime) -> WallTime) { at = at.map(replacement) }
}
