public import FlightMath
import GatewayReports
public import ReceiverProtocol

/// A launch site as SondeHub describes it.
public struct LaunchSite: Equatable, Sendable {
    /// The hour of a sounding, UTC, as SondeHub lists it. The sonde starts ``LaunchesReport/early`` before.
    public struct Time: Equatable, Sendable {
        /// 1 (Monday) to 7 (Sunday); nil for each day.
        public var weekday: Int?
        /// From midnight.
        public var minutes: Int

        /// Reads SondeHub's `0:12:00`: the day, 0 for each, the hour and the minute. Nil for anything else.
        public init?(_ text: String) {
            let parts = text.split(separator: ":", omittingEmptySubsequences: false).map { Int($0) }
            guard parts.count == 3, let day = parts[0], let hour = parts[1], let minute = parts[2], 0...7 ~= day,
                0...23 ~= hour, 0...59 ~= minute
            else { return nil }
            weekday = day == 0 ? nil : day
            minutes = hour * 60 + minute
        }

        var text: String { "\(weekday ?? 0):\(minutes / 60):\(minutes % 60)" }
    }

    /// The most times of a site.
    public static let mostTimes = 64
    /// The most tunings of a site.
    public static let mostTunings = 8

    public var id: String
    public var name: String
    public var coordinate: Coordinate
    /// Metres above mean sea level.
    public var altitudeMetres: Double
    public var times: [Time]
    /// m/s and metres, with their standard deviations; nil if SondeHub does not say.
    public var ascentRate, descentRate, burstAltitudeMetres: Double?
    public var descentSpread, burstSpread: Double?
    /// The frequencies and types of its sondes, as far as SondeHub lists them.
    public var tunings: [Tuning] = []

    public init(_ id: String, name: String, coordinate: Coordinate, altitudeMetres: Double, times: [Time]) {
        self.id = id
        self.name = name
        self.coordinate = coordinate
        self.altitudeMetres = altitudeMetres
        self.times = times
    }

    private static let minute: Int64 = 60_000
    private static let day: Int64 = 86_400_000

    /// The launches between two instants, by time. The weekday is that of the listed hour.
    func launches(from start: WallTime, through end: WallTime) -> [WallTime] {
        // 1970-01-01 was a Thursday.
        let first = start.millisecondsSince1970 / Self.day
        let last = end.advanced(by: LaunchesReport.early).millisecondsSince1970 / Self.day
        guard first >= 0, last - first <= 8 else { return [] }
        let all = (first...last).flatMap { day in
            times.compactMap { time -> WallTime? in
                guard time.weekday.map({ Int64($0) == (day + 3) % 7 + 1 }) ?? true else { return nil }
                let listed = WallTime(millisecondsSince1970: day * Self.day + Int64(time.minutes) * Self.minute)
                let at = listed.advanced(by: .zero - LaunchesReport.early)
                return start <= at && at <= end ? at : nil
            }
        }
        return Set(all).sorted()
    }
}

extension [LaunchSite] {
    /// The nearest site; nil if none is in the region.
    func nearest(to place: Coordinate) -> LaunchSite? {
        filter { $0.coordinate.isInRegion(of: place) }.min {
            $0.coordinate.distanceMetres(to: place) < $1.coordinate.distanceMetres(to: place)
        }
    }
}
