public import FlightMath
public import ReceiverProtocol

/// What is going on right now, as KML that a map asks for again and again.
public struct LiveMap: Equatable, Sendable {
    /// Between two questions of the map.
    private static let refreshSeconds = 5
    /// Points of the track that are worth asking for.
    public static let trackPoints = 2000

    public var position: PositionReport?
    /// The last ``trackPoints`` of the flight, by time; more are not drawn.
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

    /// The file that people open once: it names the one with the map, which is asked for every 5 s.
    /// - Parameter url: of that one.
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

    /// - Parameter now: ages are counted to here.
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
