import FlightMath
import Gateway
import GatewayReports
import ReceiverProtocol

/// Shows the sonde and its landing point as friends in OwnTracks, on phones that use the same broker.
///
///     topic                                published when
///     owntracks/<user>/<id>                a position comes, every 5 s at most
///     owntracks/<user>/<id>-landing        the landing point moves, every 5 s at most; removed when there is none,
///                                          also at the start of a session
///     …/info                               the gateway follows another sonde: its name
///
/// All messages are retained. They hold the time of the measurement, so that the app can show its age.
struct OwnTracksFeed: Sendable {
    /// The time between two places of one device. The app itself sends less often.
    static let spacing = Duration.seconds(5)
    private static let landingID = "LP"

    /// One of the two devices.
    private struct Device: Sendable {
        var topic: String
        var place: OwnTracks.Place?
        /// The place that was published last, and when.
        var told: OwnTracks.Place?
        var toldAt: MonotonicTime?
        /// The name that was published last.
        var name: String?

        /// When the place may be published; nil while it has not changed.
        var due: MonotonicTime? {
            guard place != nil, place != told else { return nil }
            return toldAt?.advanced(by: spacing) ?? .zero
        }
    }

    private var sonde: Device
    private var landing: Device
    private var serial: SondeSerial?
    private var flight: FlightReport?
    private var told = 0

    /// For health. Only the broker knows the number of phones, so no clients are counted, and nothing is dropped.
    var counts: FeedCounts { FeedCounts(name: "owntracks", messages: told) }

    init(_ options: OwnTracksOptions) {
        let topic = "owntracks/\(options.user)/\(options.device)"
        sonde = Device(topic: topic)
        landing = Device(topic: topic + "-landing")
    }

    /// When ``messages(at:)`` has messages to publish; nil if a report must come first.
    var deadline: MonotonicTime? { .earliest(sonde.due, landing.due) }

    /// Stores a report while there is no session.
    mutating func note(_ report: Report, at now: MonotonicTime) {
        _ = learn(report, at: now)
    }

    mutating func messages(for report: Report, at now: MonotonicTime) -> [OutgoingMessage] {
        learn(report, at: now) + messages(at: now)
    }

    /// - Returns: the removal of the landing point if it no longer exists.
    private mutating func learn(_ report: Report, at now: MonotonicTime) -> [OutgoingMessage] {
        if case .flight(let report) = report { flight = report }
        if case .position(let position) = report { place(position.completed(by: flight), at: now) }
        guard case .landing(let report) = report else { return [] }
        guard let report else { return takeBackLanding() }
        follow(report.serial)
        landing.place = OwnTracks.Place(
            coordinate: report.coordinate, altitudeMetres: report.point.altitudeMetres,
            accuracyMetres: report.point.accuracyMetres, time: report.point.at.wall)
        return []
    }

    private mutating func place(_ report: PositionReport, at now: MonotonicTime) {
        guard let serial = report.serial, report.age(at: now) <= PositionReport.freshLimit else { return }
        follow(serial)
        sonde.place = OwnTracks.Place(
            coordinate: report.coordinate, altitudeMetres: report.altitudeMetres,
            accuracyMetres: PositionReport.accuracyMetres, speed: report.horizontalSpeed,
            courseDegrees: report.headingDegrees, time: report.time)
    }

    /// Forgets the place when the sonde changes, so that it is never published as another sonde's.
    private mutating func follow(_ next: SondeSerial?) {
        guard let next, next != serial else { return }
        serial = next
        sonde.place = nil
    }

    private mutating func takeBackLanding() -> [OutgoingMessage] {
        let wasTold = landing.told != nil
        (landing.place, landing.told, landing.name) = (nil, nil, nil)
        return wasTold ? landingRemoval : []
    }

    private var landingRemoval: [OutgoingMessage] {
        [landing.topic, landing.topic + "/info"].map { OutgoingMessage(topic: $0, payload: [], isRetained: true) }
    }

    /// Publishes everything again at the start of a session. The broker may hold a landing point that no longer exists,
    /// so it is removed.
    mutating func sessionBegan(at now: MonotonicTime) -> [OutgoingMessage] {
        (sonde.told, sonde.toldAt, sonde.name) = (nil, nil, nil)
        (landing.told, landing.toldAt, landing.name) = (nil, nil, nil)
        return (landing.place == nil ? landingRemoval : []) + messages(at: now)
    }

    /// The messages that are due.
    mutating func messages(at now: MonotonicTime) -> [OutgoingMessage] {
        guard let serial else { return [] }
        let messages =
            Self.messages(of: &sonde, name: serial.canonical, trackerID: OwnTracks.trackerID(of: serial), at: now)
            + Self.messages(of: &landing, name: "\(serial) landing", trackerID: Self.landingID, at: now)
        told += messages.count
        return messages
    }

    private static func messages(
        of device: inout Device, name: String, trackerID: String, at now: MonotonicTime
    ) -> [OutgoingMessage] {
        guard let due = device.due, now >= due, let place = device.place else { return [] }
        (device.told, device.toldAt) = (place, now)
        var messages = [
            OutgoingMessage(
                topic: device.topic,
                payload: OwnTracks.location(place, trackerID: trackerID, topic: device.topic), isRetained: true)
        ]
        if device.name != name {
            device.name = name
            messages.append(
                OutgoingMessage(
                    topic: device.topic + "/info", payload: OwnTracks.card(name: name, trackerID: trackerID),
                    isRetained: true))
        }
        return messages
    }
}
