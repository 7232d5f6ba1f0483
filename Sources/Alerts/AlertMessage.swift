import FlightMath
import GatewayReports

/// The values of one event for the placeholders. They wait on disk; addresses and secrets do not.
struct AlertMessage: Codable, Equatable, Sendable {
    /// Unique for each alert, because Matrix wants such an id in the address.
    var id: String
    var text: String
    var event: String
    var serial: String?
    var latitude, longitude: Double?
    /// Whether the crew rides a bike; false if it drives, or while nobody has said. Nil only in a message that an
    /// earlier version has left on the disk.
    var isByBike: Bool?
    /// Milliseconds since 1970.
    var at: Int64

    /// The place on a map, else the sonde on SondeHub's; empty without both.
    var link: String {
        if let latitude = Self.number(latitude), let longitude = Self.number(longitude) {
            return "https://www.openstreetmap.org/?mlat=\(latitude)&mlon=\(longitude)#map=14/\(latitude)/\(longitude)"
        }
        return serial.map { "https://sondehub.org/\(Escape.url($0))" } ?? ""
    }

    /// Opens the phone's navigation to the place, as the page's links do (`deploy/page/shared/navigation.js`), see
    /// https://developers.google.com/maps/documentation/urls; empty without a place.
    var navigation: String {
        guard let latitude = Self.number(latitude), let longitude = Self.number(longitude) else { return "" }
        let mode = isByBike == true ? "bicycling" : "driving"
        return "https://www.google.com/maps/dir/?api=1&destination=\(latitude),\(longitude)&travelmode=\(mode)"
    }

    private var values: [String: String] {
        [
            "id": id, "text": text, "event": event, "serial": serial ?? "", "link": link, "navigate": navigation,
            "latitude": Self.number(latitude) ?? "", "longitude": Self.number(longitude) ?? "",
        ]
    }

    /// `47.123456`
    private static func number(_ degrees: Double?) -> String? {
        guard let degrees, degrees.isFinite else { return nil }
        var json = JSONText()
        json.field("", degrees, decimals: 6)
        return String(decoding: json.object.dropFirst(4).dropLast(), as: UTF8.self)
    }

    /// Replaces each `{name}` of a known name. Braces within a value stay as they are.
    /// - Parameter secret: stands for `{secret}`, as it is; nil if it has no place here.
    func filling(_ template: String, _ escape: (String) -> String, secret: String? = nil) -> String {
        var rest = template[...]
        var filled = ""
        let values = values
        while let open = rest.firstIndex(of: "{") {
            filled += rest[..<open]
            let inner = rest[rest.index(after: open)...]
            let name = inner.prefix { $0 != "}" }
            let value = name == AlertTarget.secretPlaceholder ? secret : values[String(name)].map(escape)
            if let close = inner.firstIndex(of: "}"), let value {
                filled += value
                rest = inner[inner.index(after: close)...]
            } else {
                filled += "{"
                rest = inner
            }
        }
        return filled + rest
    }
}

/// Ways to write a value, one for each place in a request.
enum Escape {
    /// Within the quotes of a JSON string.
    static func json(_ text: String) -> String {
        var json = JSONText()
        json.field("", text)
        return String(decoding: json.object.dropFirst(5).dropLast(2), as: UTF8.self)
    }

    /// As a part of an address.
    static func url(_ text: String) -> String { percent(text, keeping: "") }

    /// A secret as a part of an address. Telegram's has a colon, which its server wants as it is.
    static func secret(_ text: String) -> String { percent(text, keeping: ":@!$'()*,;") }

    private static func percent(_ text: String, keeping others: String) -> String {
        let plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~" + others
        return text.utf8.map { byte in
            let hex = String(byte, radix: 16, uppercase: true)
            return plain.utf8.contains(byte)
                ? String(UnicodeScalar(byte)) : "%\(hex.count == 1 ? "0" : "")\(hex)"
        }.joined()
    }

    /// On one line.
    static func header(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { $0.value < 32 || $0.value == 127 ? " " : $0 }))
    }

    static func nothing(_ text: String) -> String { text }
}
