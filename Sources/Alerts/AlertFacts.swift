import FlightMath
import GatewayReports
import ReceiverProtocol

/// The facts about the sonde and the car in the newest reports.
struct AlertFacts {
    /// The station; nil if the configuration has none.
    let home: Coordinate?
    private var serial: String?
    private var position, landing, car: Coordinate?

    init(home: Coordinate?) {
        self.home = home
    }

    mutating func update(with report: Report) {
        // An alert shows no other report.
        if case .state(let state) = report {
            if serial != state.serial?.canonical { (position, landing) = (nil, nil) }
            serial = state.serial?.canonical
        } else if case .position(let report) = report {
            position = report.coordinate
        } else if case .landing(let report) = report {
            landing = report?.coordinate
        } else if case .chase(let report) = report {
            car = report.car?.coordinate
        }
    }

    /// The distance from the landing point to the car, or to the station while the car's position is unknown; metres.
    func distance(of announcement: Announcement) -> Double? {
        let goal = announcement.place ?? (isOfFollowedSonde(announcement) ? landing : nil)
        guard let goal, let here = car ?? home else { return nil }
        return goal.distanceMetres(to: here)
    }

    func message(for report: AnnouncementReport, id: String) -> AlertMessage {
        let announcement = report.announcement
        let isOfFollowed = isOfFollowedSonde(announcement)
        let place = announcement.place ?? (isOfFollowed ? landing ?? position : nil)
        return AlertMessage(
            id: id, text: report.text, event: announcement.name,
            serial: announcement.ownSerial ?? (isOfFollowed ? serial : nil), latitude: place?.latitude,
            longitude: place?.longitude, isByBike: report.routeMode == .bike, at: report.at.wall.millisecondsSince1970)
    }

    /// Whether the reports that came before belong to the event's sonde. A launch that is announced has no sonde yet.
    private func isOfFollowedSonde(_ announcement: Announcement) -> Bool {
        if case .launchNear = announcement { return false }
        return announcement.ownSerial.map { $0 == serial } ?? true
    }
}

extension Announcement {
    /// The event's own place. The report `landing` comes later, or is of another sonde.
    fileprivate var place: Coordinate? {
        if case .launchNear(_, _, _, let landing) = self { return landing }
        if case .recoveryReported(let recovery, _) = self { return recovery.coordinate }
        if case .landed(let point, _, _) = self { return point.coordinate }
        if case .landedInSilence(_, let guess) = self { return guess }
        if case .firstPrediction(let landing) = self { return landing.place }
        if case .landingMoved(let landing, _, _) = self { return landing.place }
        return nil
    }

    /// The event's own sonde. The report `state` comes later, or is of another sonde.
    fileprivate var ownSerial: String? {
        if case .recoveryReported(let recovery, _) = self { return recovery.serial.canonical }
        if case .recoveryRejected(let serial, _, _) = self { return serial.canonical }
        if case .sondeChanged(let new, _, _, _) = self { return new.canonical }
        return nil
    }
}
