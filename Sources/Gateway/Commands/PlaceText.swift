package import FlightMath

/// A place that a person pasted: coordinates in decimal degrees, or the link of a map.
///
/// | text | source |
/// | --- | --- |
/// | `47.1, 8.2` | any: the latitude first, with a comma, a semicolon or a blank between |
/// | `geo:47.1,8.2`, `geo:0,0?q=47.1,8.2` | RFC 5870, and what phones send |
/// | `…#map=14/47.1/8.2`, `…?mlat=47.1&mlon=8.2` | OpenStreetMap |
/// | `…?q=47.1,8.2`, `…/@47.1,8.2,14z`, `…!3d47.1!4d8.2`, `…&destination=47.1,8.2` | Google |
/// | `…?ll=47.1,8.2`, `…?daddr=47.1,8.2` | Apple |
///
/// A marked place comes before the map's middle.
package enum PlaceText {
    /// Nil if the text names no place on the earth.
    package static func place(in text: String) -> Coordinate? {
        let plain = decoded(text.lowercased())
        for (first, second) in [("!3d", "!4d"), ("mlat=", "mlon=")] {
            if let place = marked(by: first, second, in: plain) { return place }
        }
        for marker in ["q=", "query=", "destination=", "daddr=", "ll=", "coordinate=", "@", "geo:", "#map="] {
            if let place = following(marker, in: plain) { return place }
        }
        var scanner = Scanner(rest: plain[...])
        guard let place = scanner.place() else { return nil }
        scanner.skipBlanks()
        return scanner.rest.isEmpty ? place : nil
    }

    /// Replaces the codes that links use for a comma, a blank and a semicolon.
    private static func decoded(_ text: String) -> String {
        let codes = ["%2c": ",", "%20": " ", "%3b": ";"]
        var result = ""
        var rest = text[...]
        while let sign = rest.first {
            if let plain = codes[String(rest.prefix(3))] {
                result += plain
                rest = rest.dropFirst(3)
            } else {
                result.append(sign)
                rest = rest.dropFirst()
            }
        }
        return result
    }

    /// A latitude behind one marker, a longitude behind another.
    private static func marked(by first: String, _ second: String, in text: String) -> Coordinate? {
        let values = [first, second].map { marker in
            ends(of: marker, in: text).lazy.compactMap { end in
                var scanner = Scanner(rest: text[end...])
                return scanner.number()
            }.first
        }
        guard let latitude = values[0], let longitude = values[1] else { return nil }
        return coordinate(latitude: latitude, longitude: longitude)
    }

    private static func following(_ marker: String, in text: String) -> Coordinate? {
        for end in ends(of: marker, in: text) {
            var scanner = Scanner(rest: text[end...])
            // The map's zoom comes first.
            if marker == "#map=" {
                guard scanner.number() != nil, scanner.rest.first == "/" else { continue }
                scanner.rest = scanner.rest.dropFirst()
            }
            if let place = scanner.place() { return place }
        }
        return nil
    }

    /// Where the occurrences of a marker end.
    private static func ends(of marker: String, in text: String) -> [String.Index] {
        text.indices.compactMap { text[$0...].hasPrefix(marker) ? text.index($0, offsetBy: marker.count) : nil }
    }

    fileprivate static func coordinate(latitude: Double, longitude: Double) -> Coordinate? {
        guard abs(latitude) <= 90, abs(longitude) <= 180 else { return nil }
        return Coordinate(latitude: latitude, longitude: longitude)
    }
}

/// Reads numbers from the beginning of a text.
private struct Scanner {
    var rest: Substring

    mutating func skipBlanks() { rest = rest.drop { $0 == " " } }

    /// A decimal number without an exponent; nil, and nothing is read, if there is none.
    mutating func number() -> Double? {
        let isSigned = rest.first == "-" || rest.first == "+"
        let digits = rest.dropFirst(isSigned ? 1 : 0).prefix { ("0"..."9").contains($0) || $0 == "." }
        // A text of more digits is no coordinate.
        guard digits.count <= 24, let value = Double(digits), value.isFinite else { return nil }
        let isNegative = rest.first == "-"
        rest = rest[digits.endIndex...]
        return isNegative ? -value : value
    }

    /// Two numbers with a comma, semicolon, slash or blank between.
    mutating func place() -> Coordinate? {
        skipBlanks()
        guard let latitude = number() else { return nil }
        let between = rest.prefix { ",;/ ".contains($0) }
        rest = rest[between.endIndex...]
        guard !between.isEmpty, let longitude = number() else { return nil }
        return PlaceText.coordinate(latitude: latitude, longitude: longitude)
    }
}
