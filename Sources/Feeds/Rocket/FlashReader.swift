import FlightMath
import Gateway
import GatewayReports
import ReceiverProtocol

/// Serves the store's flights as the rocket app's recordings. Slot 0 is the newest. The app asks for three samples at a
/// time, in order, so the reader reads ahead.
struct FlashReader: Sendable {
    /// The samples in one message, by the app's rules.
    static let samplesInAMessage = 3
    private static let readAhead = 300
    private static let step = 500

    /// The flights that one client has seen. The slots must not move while the client reads.
    struct Cache: Sendable {
        fileprivate var flights: [ArchivedFlight]?
        fileprivate var slot = -1
        /// The index of the first sample in ``samples``.
        fileprivate var start = 0
        fileprivate var samples: [FlashSample] = []
    }

    let archive: any FlightArchive
    /// The number of flights that clients see.
    let slots: Int

    func list(_ cache: inout Cache) async throws(StoreError) -> [UInt8] {
        let flights = try await archive.flights(of: nil, limit: slots)
        cache = Cache(flights: flights)
        return RocketMessage.flashList(flights)
    }

    func read(slot: Int, sample: Int?, _ cache: inout Cache) async throws(StoreError) -> [UInt8] {
        if cache.flights == nil { cache.flights = try await archive.flights(of: nil, limit: slots) }
        guard let flights = cache.flights, flights.indices.contains(slot) else {
            return RocketMessage.error("NO_FLIGHT", "There is no flight in slot \(slot)")
        }
        let flight = flights[slot]
        guard let sample else { return RocketMessage.flashHeader(try await header(of: flight), slot: slot) }
        let ahead = cache.slot == slot ? sample - cache.start : -1
        if !cache.samples.indices.contains(ahead)
            || (ahead + Self.samplesInAMessage > cache.samples.count
                && cache.start + cache.samples.count < flight.points)
        {
            cache.samples = try await samples(of: flight, from: sample)
            (cache.slot, cache.start) = (slot, sample)
        }
        let found = cache.samples.dropFirst(sample - cache.start).prefix(Self.samplesInAMessage)
        return RocketMessage.flashData(found, slot: slot, start: sample, total: flight.points)
    }

    /// Reads the samples. The point before the first sample is read, too, because the first motion is computed from it.
    private func samples(of flight: ArchivedFlight, from index: Int) async throws(StoreError) -> [FlashSample] {
        guard index < flight.points else { return [] }
        let before = index == 0 ? 0 : 1
        let limit = min(Self.readAhead, flight.points - index)
        let points = try await archive.points(
            ofFlight: flight.id, skipping: index - before, limit: limit + before)
        var samples: [FlashSample] = []
        for (place, point) in points.enumerated() where place >= before {
            samples.append(Self.sample(point, after: place == 0 ? nil : points[place - 1], of: flight))
        }
        return samples
    }

    private static func sample(
        _ point: TrackPoint, after previous: TrackPoint?, of flight: ArchivedFlight
    ) -> FlashSample {
        let motion = previous.flatMap { Motion(from: $0, to: point) }
        let hasLanded = flight.landing.map { point.time >= $0.time } ?? false
        let climb = motion?.verticalSpeed ?? 0
        var sample = FlashSample(
            milliseconds: point.time.duration(since: flight.firstAt).wholeMilliseconds,
            altitudeMetres: point.altitudeMetres, coordinate: point.coordinate,
            state: hasLanded ? .landed : climb > 0 ? .boost : climb < 0 ? .descent : .idle)
        sample.verticalSpeed = climb
        sample.speed = motion?.horizontalSpeed ?? 0
        sample.courseDegrees = motion?.courseDegrees ?? 0
        sample.satellites = 4
        return sample
    }

    private func header(of flight: ArchivedFlight) async throws(StoreError) -> FlashHeader {
        var (first, last, highest): (TrackPoint?, TrackPoint?, TrackPoint?)
        var fastest = 0.0
        var second = Int64.min
        while true {
            let points = try await archive.points(ofFlight: flight.id, after: second, limit: Self.step)
            guard let end = points.last else { break }
            for point in points {
                if first == nil { first = point }
                if let last, let motion = Motion(from: last, to: point) { fastest = max(fastest, motion.verticalSpeed) }
                if point.altitudeMetres > highest?.altitudeMetres ?? -.infinity { highest = point }
                last = point
            }
            second = end.second
        }
        let start = first ?? flight.last
        return FlashHeader(
            id: UInt32(truncatingIfNeeded: flight.id), startedAt: start.time, samples: flight.points,
            highestMetres: highest?.altitudeMetres ?? 0, fastest: fastest,
            apogee: highest?.time.duration(since: start.time) ?? .zero,
            duration: last?.time.duration(since: start.time) ?? .zero, start: start.coordinate)
    }
}
