import GatewayTestSupport
import ReceiverProtocol
import TestSupport
import Testing

@testable import FlightMath
@testable import Gateway
@testable import GatewayReports

/// Stations whose clocks differ upload the frames of a sonde that sends no time.
@Suite struct StationClocksTests {
    /// Two stations that each miss some frames of one flight.
    private struct Uploads {
        private static let burstSecond = 1500.0
        private static let landingSecond = 2125.0
        static let seconds = 2400

        var script: Script
        private var stream: CallID?
        /// How far B's clock is ahead of A's, seconds.
        let offset: Double
        /// Whether SondeHub gives the whole track when it is asked.
        let hasTrack: Bool
        private var sent: [SondeHubRecord] = []
        var outcome = Script.Outcome()

        init(offset: Double, isStreamed: Bool, hasTrack: Bool = true) {
            var options = SondeHubOptions.payerne
            options.streams = isStreamed
            script = Script(sondeHub: options, prediction: .ownWindsOnly)
            (self.offset, self.hasTrack) = (offset, hasTrack)
            script.connect()
        }

        static func verticalSpeed(_ second: Double) -> Double {
            second < burstSecond ? 5 : second < landingSecond ? -12 : 0
        }

        private static func altitude(_ second: Double) -> Double {
            500 + 5 * min(second, burstSecond) - 12 * max(0, min(second, landingSecond) - burstSecond)
        }

        static func latitude(_ second: Double) -> Double { 47 + min(second, landingSecond) * 10 / 111_195 }

        private func record(_ station: String, _ second: Int) -> SondeHubRecord {
            let ahead = station == "B" ? offset : 0
            var record = Script.record(
                "X1", at: Double(second) + ahead, latitude: Self.latitude(Double(second)),
                altitude: Self.altitude(Double(second)), type: .imet4)
            record.stamp = StationStamp(station: station, time: record.time)
            return record
        }

        /// Flies on by a second.
        /// - Returns: the effects.
        mutating func step() -> Script.Outcome {
            var step = script.wait(1)
            let second = Int(script.now.monotonic.duration(since: .zero).inSeconds.rounded())
            var records: [SondeHubRecord] = []
            // The stations miss every third frame in turn, and now and then a whole minute.
            if second % 3 != 1, second % 200 > 50 { records.append(record("A", second)) }
            if second % 3 != 2, second % 170 < 110 { records.append(record("B", second)) }
            if second % 2 == 0 { records.reverse() }
            sent += records
            if let stream {
                for record in records {
                    step += script.run(.answered(stream, .stream(.frames(SondeHubAnswer(records: [record])))))
                }
            }
            let newest = sent.max { $0.time < $1.time }
            for poll in step.polls { step += script.answer(poll.id, newest.map { [$0] } ?? []) }
            for track in step.tracks { step += script.answerTrack(track.id, hasTrack ? sent : []) }
            if let call = step.streams.last {
                stream = call.id
                step += script.run(.answered(call.id, .stream(.opened)))
            }
            outcome += step
            return step
        }
    }

    /// The offset of the stations' clocks. The stream gives one flight. In the first minutes one station may take over
    /// from the other; the clocks' difference then counts as a gap.
    @Test(arguments: [-40.0, -20, -7, 0, 7, 20, 40])
    func byTheStream(_ offset: Double) throws {
        var uploads = Uploads(offset: offset, isStreamed: true)
        var (rising, falling) = (0.0, 0.0)
        for second in 1...Uploads.seconds {
            _ = uploads.step()
            guard let motion = uploads.script.flight?.motion else { continue }
            if (300..<1500).contains(second) { rising = max(rising, abs(motion.verticalSpeed - 5)) }
            if (1620..<2100).contains(second) { falling = max(falling, abs(motion.verticalSpeed + 12)) }
        }
        #expect(rising < 1 && falling < 2, "\(rising) \(falling)")
        check(uploads)
    }

    /// Polls show one station's frame each.
    @Test(arguments: [-40.0, -20, -7, 0, 7, 20, 40], [true, false])
    func byPolls(_ offset: Double, hasTrack: Bool) throws {
        var uploads = Uploads(offset: offset, isStreamed: false, hasTrack: hasTrack)
        for second in 1...Uploads.seconds {
            _ = uploads.step()
            guard let phase = uploads.script.flight?.phase.phase else { continue }
            if (120..<1500).contains(second) { #expect(phase == .ascending, "\(second)") }
        }
        check(uploads)
    }

    private func check(_ uploads: Uploads) {
        let outcome = uploads.outcome
        #expect(outcome.told(.burst).count == 1 && outcome.told(.burstRevoked).isEmpty)
        #expect(outcome.told(.landed).count == 1 && outcome.told(.moved).isEmpty)
        #expect(outcome.told(.landingRevoked).isEmpty)
        let place = Coordinate(latitude: Uploads.latitude(9999), longitude: 8)
        #expect(uploads.script.flight?.landed.map { $0.coordinate.distanceMetres(to: place) < 30 } ?? false)
        let times = outcome.positions.map(\.time)
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
    }

    // MARK: - The clocks alone

    private static func point(_ station: String, _ time: Double, metres: Double) -> SondeHubRecord {
        var record = Script.record("X1", at: time, altitude: metres, type: .imet4)
        record.stamp = StationStamp(station: station, time: record.time)
        return record
    }

    private static let start = WallTime(millisecondsSince1970: Script.noon)

    /// Seconds since the start; nil if the record's time is unknown.
    private static func time(_ record: SondeHubRecord) -> Double? {
        record.isTimeKnown ? record.time.seconds(since: start) : nil
    }

    private static func times(_ records: [SondeHubRecord]) -> [Double?] {
        var clocks = StationClocks()
        let now = start.advanced(by: .seconds(10_000))
        return records.map { time(clocks.onOneClock($0, at: now)) }
    }

    /// B is 20 s ahead of A, which is heard first. B's frames are left out, also where both have sent the same one.
    @Test func oneStationAtATime() {
        let records = [
            Self.point("A", 1, metres: 100), Self.point("B", 21, metres: 100), Self.point("B", 22, metres: 105),
            Self.point("A", 2, metres: 105), Self.point("B", 23, metres: 110), Self.point("A", 4, metres: 115),
            Self.point("A", 4, metres: 115), Self.point("B", 24.3, metres: 115),
        ]
        #expect(Self.times(records) == [1, nil, nil, 2, nil, 4, 4, nil])
    }

    /// A minute after the other station's last frame a station is followed by its own clock.
    @Test func aSilentStationIsReplaced() {
        let records = [
            Self.point("A", 1, metres: 100), Self.point("B", 60, metres: 110), Self.point("B", 62, metres: 120),
            Self.point("A", 63, metres: 130), Self.point("B", 64, metres: 140),
        ]
        #expect(Self.times(records) == [1, nil, 62, nil, 64])
    }

    /// A station that is ahead of our own clock is held back as a whole.
    @Test func noFrameIsFromTheFuture() {
        let records = [
            Self.point("B", 20, metres: 100), Self.point("B", 21, metres: 105), Self.point("A", 1, metres: 105),
            Self.point("A", 2, metres: 110), Self.point("A", 3, metres: 115), Self.point("B", 23, metres: 115),
            Self.point("B", 24, metres: 120),
        ]
        var clocks = StationClocks()
        let times = zip(records, [0.0, 1, 1, 2, 3, 3, 9]).map { record, now in
            Self.time(clocks.onOneClock(record, at: Self.start.advanced(by: .seconds(now))))
        }
        #expect(times == [0, 1, nil, nil, nil, 3, 4])
    }

    /// The receiver has heard A's frames, whose clock is 20 s ahead. From then on A's times are the gateway's. B, which
    /// it has not heard, is left out.
    @Test func theReceiverGivesTheClock() {
        let heard = ReceiverTimes(
            track: (0..<10).map { second in
                TrackPoint(
                    time: Self.start.advanced(by: .seconds(second)), coordinate: Coordinate(latitude: 47, longitude: 8),
                    altitudeMetres: 100 + 5 * Double(second), source: .ble)
            })
        let records = [
            Self.point("B", 4, metres: 300), Self.point("A", 25, metres: 125), Self.point("A", 32, metres: 160),
            Self.point("B", 14, metres: 350), Self.point("A", 40, metres: 200),
        ]
        var clocks = StationClocks()
        let times = records.map {
            Self.time(clocks.onOneClock($0, at: Self.start.advanced(by: .seconds(18)), heard: heard))
        }
        #expect(times == [nil, 5, 12, nil, 18])
        #expect(clocks.isOnGatewaysClock && clocks.mostBehind == .zero)
    }

    /// In a track the station that is followed now comes first. Another one counts only where nobody else was heard for
    /// a minute. The times of sondes that send the time stay.
    @Test func aTrackHasOneStationAtATime() throws {
        var clocks = StationClocks()
        let now = Self.start.advanced(by: .seconds(500))
        #expect(clocks.onOneClock(Self.point("A", 500, metres: 3000), at: now).time == now)
        var track = (0..<400).map { Self.point("B", Double($0) + 40, metres: Double($0) * 5 + 500) }
        track += (200..<490).map { Self.point("A", Double($0), metres: Double($0) * 5 + 500) }
        var random = SeededRandom.ofThisRun
        let points = clocks.onOneClock(track.shuffled(using: &random).map { StampedPoint($0) }, at: now).map(\.point)
        let seconds = points.map { $0.time.seconds(since: Self.start) }
        #expect(seconds == (40..<140).map { Double($0) } + (200..<490).map { Double($0) })
        #expect(points.suffix(290).allSatisfy { $0.altitudeMetres == $0.time.seconds(since: Self.start) * 5 + 500 })
        #expect(clocks.onOneClock(Self.point("B", 541, metres: 3005), at: now).isTimeKnown == false)
        let timed = [Script.record("V1", at: 5), Script.record("V1", at: 3)].map { StampedPoint($0) }
        #expect(clocks.onOneClock(timed, at: now).map { $0.point.time.seconds(since: Self.start) } == [3, 5])
    }
}
