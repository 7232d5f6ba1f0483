package import GatewayReports

extension Announcement {
    /// Its sentence, without the car.
    package var english: String { English().sentence(for: self, from: nil) }
}

extension AnnouncementReport {
    package var english: String { sentence(in: English()) }
}
