public import FlightMath

/// An announcement and when it was made.
public struct AnnouncementReport: Equatable, Sendable {
    public var announcement: Announcement
    public var at: Moment
    /// To be said aloud.
    public var speak = true
    /// Worth a sentence, or a message on a phone.
    public var isNews = true
    /// Where the crew was.
    var car: CarPosition?

    public init(
        announcement: Announcement, at: Moment, speak: Bool = true, isNews: Bool = true, car: CarPosition? = nil
    ) {
        self.announcement = announcement
        self.at = at
        self.speak = speak
        self.isNews = isNews
        self.car = car
    }

    /// As the log shows it: what is not news is no more than information.
    public var level: GatewayNote.Level { isNews ? announcement.level : .info }

    /// For people who read it.
    public func sentence(in phrases: any Phrasebook) -> String { phrases.sentence(for: announcement, from: car) }

    func payload(in phrases: any Phrasebook) -> [UInt8] {
        let text = sentence(in: phrases)
        let speech = phrases.speech(for: announcement, from: car)
        var json = JSONText()
        json.field("event", announcement.name)
        json.field("at", at.wall)
        json.field("text", text)
        json.field("speech", speech == text ? nil : speech)
        json.field("speak", speak)
        if let reason = announcement.reason { json.field("reason", reason) }
        announcement.fields(&json)
        return json.object
    }
}
