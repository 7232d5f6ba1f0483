import FlightMath
import Foundation

/// Detects burst and landing over whole tracks, point by point, at several spacings.
struct DetectorFigures {
    private static let spacings: [Int64] = [1, 2, 5, 10, 15, 20, 30]
    private static let padSeconds: Int64 = 180
    /// A cut track begins this far below the burst, metres.
    private static let cutMetres = 3000.0
    private static let groundSeconds: Int64 = 600

    let tracks: [RecordedTrack]

    func report() {
        bursts()
        for isCut in [false, true] {
            print(
                isCut
                    ? "\nLandings, nothing heard above 3 km below the burst"
                    : "\nLandings (180 s of launch pad before and 600 s of ground after every track, with a GPS's noise)"
            )
            print(
                "spacing  tracks  bursts  revoked  false  missed  delay s p50/max  off m p50/max  carried")
            for spacing in Self.spacings { landings(spacing, isCut: isCut) }
        }
        print("")
    }

    private func bursts() {
        var (right, revoked) = (0, 0)
        var late: [Double] = []
        for track in tracks {
            var flight = Flight()
            var seenAt: WallTime?
            for point in track.points {
                for change in flight.insert(point).changes {
                    if case .burst = change { seenAt = point.time }
                    if case .burstRevoked = change { revoked += 1 }
                }
            }
            var whole = Flight()
            _ = whole.insert(contentsOf: track.points)
            let top = track.points.map(\.altitudeMetres).max() ?? 0
            if let burst = flight.burst, let seenAt, abs(burst.altitudeMetres - top) <= 150, whole.burst == burst {
                right += 1
                late.append(Double(seenAt.millisecondsSince1970 - burst.time.millisecondsSince1970) / 1000)
            } else {
                print("  no right burst: \(track.name)")
            }
        }
        print(
            "Burst within 150 m of the top, point by point and over the whole track: \(right) of \(tracks.count), "
                + "seen \(decimal(late.percentile(50), 0)) s later (p90 \(decimal(late.percentile(90), 0)) s), "
                + "revoked before: \(revoked)")
    }

    private func landings(_ spacing: Int64, isCut: Bool) {
        var (falseOnes, missed, bursts, revoked, carried) = (0, 0, 0, 0, 0)
        var (delays, offs): ([Double], [Double]) = ([], [])
        let grounded = tracks.filter { $0.reachesGround && (!isCut || $0.heightMetres >= Self.cutMetres + 1500) }
        for (index, track) in grounded.enumerated() {
            var random = Noise(state: UInt64(index + 1))
            let (points, touchDown) = Self.points(track, spacing, isCut: isCut, &random)
            var flight = Flight()
            var landedAt: WallTime?
            for point in points {
                for change in flight.insert(point).changes {
                    switch change {
                    case .burst: bursts += 1
                    case .burstRevoked: revoked += 1
                    case .landed: landedAt = landedAt ?? point.time
                    case .moved, .newFlight, .landingRevoked, .heardOnGround: carried += 1
                    case .landedInSilence, .heardAgain, .trackTruncated: break  // Not judged here.
                    }
                }
            }
            guard let landedAt, let place = flight.landingPlace?.coordinate, let last = track.points.last else {
                missed += 1
                print("  missed: \(track.name)")
                continue
            }
            // A track may end up to half a minute after touch-down.
            let delay = Double(landedAt.millisecondsSince1970 - touchDown.millisecondsSince1970) / 1000
            if delay < -30 {
                falseOnes += 1
                print("  false: \(track.name), \(-delay) s before the end")
            }
            delays.append(delay)
            offs.append(
                sphereMetres(
                    (place.latitude, place.longitude), (last.coordinate.latitude, last.coordinate.longitude)))
        }
        let columns = [
            "\(spacing) s", "\(grounded.count)", "\(bursts)", "\(revoked)", "\(falseOnes)", "\(missed)",
            "\(decimal(delays.percentile(50), 0)) / \(decimal(delays.max() ?? .nan, 0))",
            "\(decimal(offs.percentile(50), 0)) / \(decimal(offs.max() ?? .nan, 0))", "\(carried)",
        ]
        print(zip(columns, [9, 8, 8, 9, 7, 8, 17, 15, 4]).map { padded($0, $1) }.joined())
    }

    /// The track at this spacing, with a launch pad before it and time on the ground after it.
    private static func points(
        _ track: RecordedTrack, _ spacing: Int64, isCut: Bool, _ random: inout Noise
    ) -> (points: [TrackPoint], touchDown: WallTime) {
        var points = track.resampled(everySeconds: spacing)
        guard let first = points.first, let last = track.points.last else {
            return ([], WallTime(millisecondsSince1970: 0))
        }
        var pad: [TrackPoint] = []
        for second in stride(from: -padSeconds, to: 0, by: Int(spacing)) where !isCut {
            pad.append(noisy(first, at: first.time.advanced(byMilliseconds: Int64(second) * 1000), &random))
        }
        for second in stride(from: Int64(0), through: groundSeconds, by: Int(spacing)) {
            points.append(noisy(last, at: last.time.advanced(byMilliseconds: second * 1000), &random))
        }
        if isCut {
            let limit = (points.map(\.altitudeMetres).max() ?? 0) - cutMetres
            points.removeAll { $0.altitudeMetres > limit }
            // A cut track has no ascent either.
            let top = points.indices.max { points[$0].altitudeMetres < points[$1].altitudeMetres } ?? 0
            let gap = zip(points.indices, points.indices.dropFirst()).max { left, right in
                points[left.1].time.millisecondsSince1970 - points[left.0].time.millisecondsSince1970
                    < points[right.1].time.millisecondsSince1970 - points[right.0].time.millisecondsSince1970
            }
            points.removeFirst(gap?.1 ?? top)
        }
        return (pad + points, last.time)
    }

    private static func noisy(_ point: TrackPoint, at time: WallTime, _ random: inout Noise) -> TrackPoint {
        var point = point
        point.time = time
        point.coordinate.latitude += random.normal * 2 / 111_195
        point.coordinate.longitude += random.normal * 2 / 80_000
        point.altitudeMetres += random.normal * 3
        return point
    }
}

/// Noise that depends only on its seed.
struct Noise {
    var state: UInt64

    private mutating func uniform() -> Double {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return Double((mixed ^ (mixed >> 31)) >> 11) / 9_007_199_254_740_992
    }

    /// A nearly normal value with standard deviation 1.
    var normal: Double {
        mutating get { (0..<12).reduce(-6) { sum, _ in sum + uniform() } }
    }
}
