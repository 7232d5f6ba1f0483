public import FlightMath
import ReceiverProtocol

/// The launches of the next hours at the sites around, and where their sondes should land; the next first.
public struct LaunchesReport: Equatable, Sendable {
    /// A sonde starts this long before the hour of its sounding, by which SondeHub and people name it.
    public static let early = Duration.seconds(2700)

    public struct Launch: Equatable, Sendable {
        /// SondeHub's number of the site.
        public var site: String
        public var name: String
        public var launchAt: WallTime
        /// The predicted landing; nil while there is no prediction.
        public var landing: Landing?
        /// Metres above mean sea level.
        public var burstAltitudeMetres: Double
        /// From the car, else from the configured place, to the landing; nil if either end is unknown.
        public var distanceMetres: Double?
        public var drive: Duration?
        /// The time left if the crew sets out now; negative if it comes too late.
        public var margin: Duration?

        public init(site: String, name: String, launchAt: WallTime, burstAltitudeMetres: Double) {
            self.site = site
            self.name = name
            self.launchAt = launchAt
            self.burstAltitudeMetres = burstAltitudeMetres
        }
    }

    public struct Landing: Equatable, Sendable {
        public var coordinate: Coordinate
        public var at: WallTime
        /// The radius that holds 90 % of the landings, computed from the spreads of burst and descent.
        public var radiusMetres: Double

        public init(_ coordinate: Coordinate, at time: WallTime, radiusMetres: Double) {
            self.coordinate = coordinate
            at = time
            self.radiusMetres = radiusMetres
        }
    }

    public var launches: [Launch]

    public init(_ launches: [Launch] = []) {
        self.launches = launches
    }

    var payload: [UInt8] {
        var json = JSONText()
        json.array("launches", launches[...]) { list, launch in list.object { launch.fields(&$0) } }
        return json.object
    }
}

extension LaunchesReport.Launch {
    fileprivate func fields(_ json: inout JSONText) {
        json.field("site", site)
        json.field("name", name)
        json.field("launch_at", launchAt)
        json.field("landing", landing) { inner, landing in
            inner.fields(of: landing.coordinate)
            inner.field("at", landing.at)
            inner.field("radius_m", landing.radiusMetres, decimals: 1)
        }
        json.field("burst_altitude_m", burstAltitudeMetres, decimals: 1)
        json.field("distance_m", distanceMetres, decimals: 1)
        json.field("drive_s", drive.map { Int(clamping: $0.components.seconds) })
        json.field("margin_s", margin.map { Int(clamping: $0.components.seconds) })
    }
}
