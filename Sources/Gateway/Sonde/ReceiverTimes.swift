import FlightMath

/// When the receiver heard the sonde at a place. A station has sent the same frame, so this is the true time of the
/// station's stamp.
struct ReceiverTimes {
    /// The largest difference between a station's clock and the gateway's. A station's clock that nothing sets is off by
    /// minutes.
    private static let mostDifference = Duration.seconds(900)
    /// A sonde that stays at one place for longer does not show when it was there.
    private static let longestStay = Duration.seconds(2)
    /// The receiver sends whole metres, and decoders round a place differently.
    private static let roundedMetres = 1.0
    private static let roundedDegrees = 2e-4

    /// The track, sorted by time. Only the receiver's points count.
    var track: [TrackPoint]

    /// The time of the receiver's last point; nil if it has not heard the sonde.
    var last: WallTime? { track.last { $0.source == .ble }?.time }

    /// The time at which the receiver heard the sonde at the place of `point`; nil if that is unknown.
    /// - Parameter stamp: the time by the station's clock.
    func time(of point: TrackPoint, stampedAt stamp: WallTime) -> WallTime? {
        let latest = stamp.advanced(by: Self.mostDifference)
        var stay: (from: WallTime, until: WallTime)?
        var best: (time: WallTime, metres: Double)?
        for heard in track[index(atOrAfter: stamp.advanced(by: .zero - Self.mostDifference))...] {
            guard heard.time <= latest else { break }
            let metres = abs(heard.altitudeMetres - point.altitudeMetres)
            guard metres <= Self.roundedMetres, heard.source == .ble, Self.isSamePlace(heard, point) else { continue }
            stay = (stay?.from ?? heard.time, heard.time)
            if best.map({ metres < $0.metres }) ?? true { best = (heard.time, metres) }
        }
        guard let stay, stay.until.duration(since: stay.from) <= Self.longestStay else { return nil }
        return best?.time
    }

    private static func isSamePlace(_ heard: TrackPoint, _ point: TrackPoint) -> Bool {
        abs(heard.coordinate.latitude - point.coordinate.latitude) <= roundedDegrees
            && abs(heard.coordinate.longitude - point.coordinate.longitude) <= roundedDegrees
    }

    /// Found by bisection; the number of points if all are earlier.
    private func index(atOrAfter time: WallTime) -> Int {
        var (low, high) = (0, track.count)
        while low < high {
            let middle = (low + high) / 2
            if track[middle].time < time { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
