public import FlightMath

/// An announcement and when it was made.
public struct AnnouncementReport: Equatable, Sendable {
    public var announcement: Announcement
    public var at: Moment
    /// A voice should say it.
    public var speak = true
    /// It is worth saying aloud, or a message on a phone. If not, it is only published.
    public var isNews = true
    /// The event was published before; only its sentence had to wait.
    public var isLater = false
    /// The car's position at that time; nil if unknown.
    var car: CarPosition?
    /// How the crew travels: with it a phone's navigation to the place opens.
    public var routeMode = RouteMode.car
    /// The language of its sentences.
    public var language = Language.english
    /// The units of its sentences.
    public var units = Units.metric

    public init(
        announcement: Announcement, at: Moment, speak: Bool = true, isNews: Bool = true,
        isLater: Bool = false, car: CarPosition? = nil, routeMode: RouteMode = .car, language: Language = .english,
        units: Units = .metric
    ) {
        self.announcement = announcement
        self.at = at
        self.speak = speak
        self.isNews = isNews
        self.isLater = isLater
        self.car = car
        self.routeMode = routeMode
        self.language = language
        self.units = units
    }

    /// The level in the log; `info` if it is not news.
    public var level: GatewayNote.Level { isNews ? announcement.level : .info }

    /// The sentence for people who read it.
    public var text: String { sentence(in: language) }

    public func sentence(in language: Language) -> String {
        language.phrasebook(in: units).sentence(for: announcement, from: car)
    }

    var payload: [UInt8] {
        let text = text
        let speech = language.phrasebook(in: units).speech(for: announcement, from: car)
        var json = JSONText()
        json.field("event", isLater ? EventName.said.rawValue : announcement.name)
        json.field("at", at.wall)
        json.field("text", text)
        json.field("speech", speech == text ? nil : speech)
        json.field("language", language.rawValue)
        json.field("speak", speak)
        guard !isLater else {
            json.field("of", announcement.name)
            return json.object
        }
        if let reason = announcement.reason { json.field("reason", reason) }
        announcement.fields(&json)
        return json.object
    }
}
