package import GatewayReports

extension Announcement {
    /// The English sentence without the car's position.
    package var english: String { Language.english.phrasebook.sentence(for: self, from: nil) }
}

extension AnnouncementReport {
    package var english: String { sentence(in: .english) }
}
