public import FlightMath
public import ReceiverProtocol

/// The present situation as KML. A map program fetches it again and again.
public struct LiveMap: Equatable, Sendable {
    /// The time between two fetches of the map.
    private static let refreshSeconds = 5
    /// The most points of the track that are drawn.
    public static let trackPoints = 2000

    public var position: PositionReport?
    /// The flight's points by time. Only the last ``trackPoints`` are drawn.
    public var track: [TrackPoint]
    public var prediction: PredictionReport?
    public var landing: LandingReport?
    public var car: Coordinate?

    public init(
        position: PositionReport?, track: [TrackPoint], prediction: PredictionReport?, landing: LandingReport?,
        car: Coordinate?
    ) {
        self.position = position
        self.track = track
        self.prediction = prediction
        self.landing = landing
        self.car = car
    }

    /// The file that people open once. It makes the map program fetch the map every 5 s.
    /// - Parameter url: the map's address.
    public static func networkLink(to url: String) -> [UInt8] {
        var text = FileText()
        text.add(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <kml xmlns="http://www.opengis.net/kml/2.2"><NetworkLink><name>sondygo2mqtt</name><Link><href>
            """)
        text.add(escaped: url)
        text.add(
            """
            </href><refreshMode>onInterval</refreshMode><refreshInterval>\(refreshSeconds)</refreshInterval></Link>\
            </NetworkLink></kml>

            """)
        return text.bytes
    }

    /// - Parameter now: the time for which ages are computed.
    public func kml(at now: MonotonicTime) -> [UInt8] {
        var text = FileText()
        text.add(KML.head)
        text.add("<name>sondygo2mqtt</name>\n")
        text.add(KML.style("track", color: "ff0055ff"))
        text.add(KML.style("prediction", color: "ffff8800"))
        if let position {
            let name = position.serial?.canonical ?? position.name ?? "sonde"
            let isLive = position.age(at: now) <= PositionReport.freshLimit
            KML.addPlacemark(
                isLive ? name : "\(name), last known position",
                at: TrackPoint(
                    time: position.time, coordinate: position.coordinate, altitudeMetres: position.altitudeMetres,
                    source: position.source), &text)
        }
        KML.addLine("track", style: "track", through: track.suffix(Self.trackPoints), &text)
        if let prediction {
            let path = prediction.forecast.prediction.path.map { point in
                TrackPoint(
                    time: point.time, coordinate: point.coordinate, altitudeMetres: point.altitudeMetres,
                    source: .sondehub)
            }
            KML.addLine("prediction", style: "prediction", through: path, &text)
        }
        if let landing { KML.addPlacemark("landing, \(landing.source)", at: landing.coordinate, &text) }
        if let car { KML.addPlacemark("car", at: car, &text) }
        text.add(KML.tail)
        return text.bytes
    }
}
