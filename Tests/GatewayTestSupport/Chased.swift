package import FlightMath
import Foundation
package import Gateway
package import GatewayReports
import ReceiverProtocol

/// A sonde that the receiver hears through a flight, and the machine that follows it.
package struct Chased {
    package var script: Script
    package var altitude: Double
    package var latitude = 47.0
    package let serial: String
    /// The sonde's own speeds, m/s.
    private var horizontalSpeed = 0.0
    private var verticalSpeed = 0.0

    package init(
        _ serial: String = "V4210150", altitude: Double = 500, prediction: PredictionOptions,
        sondeHub: SondeHubOptions = .off, memory: GatewayMemory = GatewayMemory(), isClockSynced: Bool = true
    ) {
        script = Script(
            sondeHub: sondeHub, prediction: prediction, memory: memory, isClockSynced: isClockSynced)
        self.serial = serial
        self.altitude = altitude
        script.connect()
    }

    /// The sonde's position. Its longitude never changes.
    package var place: Coordinate { Coordinate(latitude: (latitude * 1e6).rounded() / 1e6, longitude: 8.54) }

    /// Flies with these speeds, m/s, and sends a frame every `spacing` seconds.
    @discardableResult
    package mutating func go(_ seconds: Int, up: Double = 0, north: Double = 10, every spacing: Int = 1)
        -> Script.Outcome
    {
        var outcome = Script.Outcome()
        (horizontalSpeed, verticalSpeed) = (abs(north), up)
        for _ in 0..<(seconds / spacing) {
            for second in 1...spacing {
                outcome += script.wait(1)
                // The receiver searches in between, so that the link stays open.
                if second % 10 == 0, second < spacing { outcome += script.frame(Script.searching) }
            }
            altitude += up * Double(spacing)
            latitude += north * Double(spacing) / 111_195
            outcome += hear()
        }
        return outcome
    }

    /// Falls to an altitude under a parachute, with this speed near the ground.
    @discardableResult
    package mutating func fall(to ground: Double, rate: Double = 6, north: Double = 10, every spacing: Int = 1)
        -> Script.Outcome
    {
        var outcome = Script.Outcome()
        while altitude > ground {
            outcome += go(
                spacing, up: -rate / Atmosphere.densityRoot(at: altitude), north: north, every: spacing)
        }
        altitude = ground
        return outcome
    }

    /// Flies while only SondeHub hears the sonde. It answers each poll.
    package mutating func goOnSondeHub(_ seconds: Int, up: Double = 5) -> Script.Outcome {
        var outcome = Script.Outcome()
        for _ in 0..<seconds {
            altitude += up
            let step = script.wait(1)
            outcome += step
            for poll in step.polls { outcome += script.answer(poll.id, [record()]) }
        }
        return outcome
    }

    /// A frame with the present position.
    @discardableResult
    package mutating func hear() -> Script.Outcome {
        script.frame(
            Script.position(
                serial, latitude: String(format: "%.6f", latitude), altitude: Int(altitude),
                speed: Int(horizontalSpeed * 3.6), up: (verticalSpeed * 10).rounded() / 10))
    }

    /// SondeHub's record of the sonde's position.
    package func record(at seconds: Double = 0) -> SondeHubRecord {
        var record = Script.record(serial)
        record.altitudeMetres = altitude.rounded(.down)
        record.time = script.now.wall.advanced(by: .seconds(seconds))
        record.coordinate = place
        return record
    }

    /// Answers a call. The landing lies `metres` north of the query's start.
    package mutating func answer(_ call: (id: CallID, query: TawhiriQuery)?, metres: Double = 20_000) -> Script.Outcome
    {
        guard let call else { return Script.Outcome() }
        return script.run(
            .answered(
                call.id, .prediction(Self.prediction(from: call.query.launch, metres, at: call.query.launchAt))))
    }

    package static func prediction(
        from place: Coordinate, _ metres: Double, at time: WallTime, isRising: Bool = true, madeAt: WallTime? = nil
    ) -> OnlinePrediction {
        let points = [(0.0, 2000.0), (0.5, 30_000), (1, 430)].map { share, altitude in
            OnlinePrediction.Point(
                time: time.advanced(by: .seconds(share * 6000)),
                coordinate: place.moved(east: 0, north: share * metres),
                altitudeMetres: altitude)
        }
        return OnlinePrediction(
            path: points, burst: isRising ? points[1] : nil, landing: points[2], madeAt: madeAt)
    }

    // MARK: - The state

    package var prediction: PredictionReport? {
        if case .prediction(let report?) = script.newest[.prediction] { report } else { nil }
    }
    package var landing: LandingReport? {
        if case .landing(let report?) = script.newest[.landing] { report } else { nil }
    }
}

extension PredictionOptions {
    /// Options with one launch site.
    package static func launched(at place: Coordinate) -> PredictionOptions {
        var options = PredictionOptions()
        options.launchSites = [place]
        return options
    }

    /// Options without online predictions. The only launch site is far away.
    package static var ownWindsOnly: PredictionOptions {
        var options = launched(at: Coordinate(latitude: 0, longitude: 0))
        (options.asksTawhiri, options.asksSondeHub) = (false, false)
        return options
    }

    /// Options without the own winds.
    package static var onlineOnly: PredictionOptions {
        var options = PredictionOptions()
        options.isOffline = false
        return options
    }
}

extension Script.Outcome {
    /// The calls to Tawhiri with their ids.
    package var questions: [(id: CallID, query: TawhiriQuery)] {
        actions.compactMap { if case .call(let id, .tawhiri(let query)) = $0 { (id, query) } else { nil } }
    }
    /// The ids of calls for SondeHub's own prediction.
    package var sondeHubQuestions: [CallID] {
        actions.compactMap { if case .call(let id, .sondeHubPrediction) = $0 { id } else { nil } }
    }
    package var predictions: [PredictionReport] {
        reports.compactMap { if case .prediction(let report?) = $0 { report } else { nil } }
    }
    private var announcementReports: [AnnouncementReport] {
        reports.compactMap { if case .announcement(let report) = $0 { report } else { nil } }
    }
    /// The events with this name.
    package func told(_ name: EventName) -> [AnnouncementReport] {
        announcementReports.filter { $0.announcement.event == name && !$0.isLater }
    }
    /// The announcements that are said, at once or later.
    package var spoken: [AnnouncementReport] { announcementReports.filter(\.speak) }
    /// The said announcements of this name.
    package func spoken(_ name: EventName) -> [AnnouncementReport] {
        spoken.filter { $0.announcement.event == name }
    }
}
