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
        guard let goal = announcement.landingPlace ?? landing, let here = car ?? home else { return nil }
        return goal.distanceMetres(to: here)
    }

    func message(for report: AnnouncementReport, id: String) -> AlertMessage {
        let place = report.announcement.landingPlace ?? landing ?? position
        return AlertMessage(
            id: id, text: report.text, event: report.announcement.name,
            serial: report.announcement.newSerial ?? serial, latitude: place?.latitude, longitude: place?.longitude,
            at: report.at.wall.millisecondsSince1970)
    }
}

extension Announcement {
    /// The event's own landing point, because the report `landing` comes later.
    fileprivate var landingPlace: Coordinate? {
        if case .landed(let point, _) = self { return point.coordinate }
        if case .landedInSilence(_, let guess) = self { return guess }
        if case .firstPrediction(let place, _) = self { return place }
        if case .landingMoved(let place, _, _) = self { return place }
        return nil
    }

    /// The event's own sonde, because the report `state` comes later.
    fileprivate var newSerial: String? {
        if case .sondeChanged(let new, _, _, _) = self { return new.canonical }
        return nil
    }
}
