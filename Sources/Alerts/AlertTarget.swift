public import GatewayReports

/// Where events are sent: one entry of `alerts` in the configuration.
public struct AlertTarget: Equatable, Sendable {
    public struct Header: Equatable, Sendable {
        public var name, value: String

        public init(_ name: String, value: String) {
            (self.name, self.value) = (name, value)
        }
    }

    /// With placeholders, like the headers and the body.
    public var url = ""
    public var events: Set<EventName>
    public var method = "POST"
    public var headers: [Header] = []
    /// Nil for the sentence alone.
    public var body: String?
    /// The name of the secret that stands for `{secret}` in the address and the headers; nil if there is none.
    public var secretName: String?
    /// The secret itself; nil while it could not be read.
    public var secret: String?
    public var mostPerHour = 20
    /// An event is sent only if the landing point is this near to the car or to the station, kilometres; nil for any
    /// distance.
    public var withinKilometres: Double?

    public init() {
        events = Set(EventName.allCases.filter { $0.importance >= .high })
    }

    /// The names that are filled in where they stand in braces.
    public static let placeholders = ["text", "event", "serial", "latitude", "longitude", "link", "navigate", "id"]

    /// Stands for ``secret``, but not in the body.
    public static let secretPlaceholder = "secret"

    /// Whether the address or a header has a place for a secret.
    public var needsSecret: Bool {
        ([url] + headers.map(\.value)).contains { $0.contains("{\(Self.secretPlaceholder)}") }
    }

    /// The first word in braces that is no placeholder; nil if there is none. JSON never has a bare word in braces.
    /// - Parameter takesSecret: whether the secret may stand there.
    public static func unknownPlaceholder(in template: String, takesSecret: Bool = false) -> String? {
        let known = placeholders + (takesSecret ? [secretPlaceholder] : [])
        for part in template.split(separator: "{", omittingEmptySubsequences: false).dropFirst() {
            let word = part.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" }
            if !word.isEmpty, part.dropFirst(word.count).first == "}", !known.contains(String(word)) {
                return String(word)
            }
        }
        return nil
    }

    /// `ntfy.sh`, for the log; the whole address may hold a secret.
    public var host: String {
        let parts = url.split(separator: "/", omittingEmptySubsequences: true)
        return parts.count > 1 ? String(parts[1].prefix { $0 != "?" && $0 != "#" }) : url
    }

    /// Tells two destinations apart: all that leads an alert to a person, without the secret. Two topics on one server,
    /// and two chats behind one address, are two.
    var identity: String {
        let parts = [method, url, body ?? "", secretName ?? ""] + headers.flatMap { [$0.name, $0.value] }
        // FNV-1a. The file of the waiting alerts should not hold an address with its key.
        let hash = parts.flatMap { Array($0.utf8) + [0] }.reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01B3
        }
        return "\(host) \(String(hash, radix: 16))"
    }

    var contentType: String {
        let given = headers.last { $0.name.lowercased() == "content-type" }?.value
        let isObject = body?.first { !$0.isWhitespace } == "{"
        return given ?? (isObject ? "application/json" : "text/plain; charset=utf-8")
    }

    /// - Parameter distance: from the landing point to the car or the station, metres; nil if unknown.
    func wants(_ report: AnnouncementReport, distance: Double?) -> Bool {
        guard report.isNews, events.contains(report.announcement.event) else { return false }
        guard let withinKilometres else { return true }
        return distance.map { $0 <= withinKilometres * 1000 } ?? false
    }
}
