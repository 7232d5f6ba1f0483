import FlightMath
import Gateway
import GatewayReports

/// The ground's horizon around the crew. It is thousands of reads of the files of heights, so pages that ask from about
/// the same place, at once or soon after, get the same one.
actor HorizonReading {
    /// Around its place a horizon holds this far, metres. The heights along its lines are 200 m apart.
    private static let reachMetres = 100.0

    private let terrain: any TerrainSource
    private let directions: Int
    private let interval: Duration
    private var newest: (place: Coordinate, reading: SharedReading<[Double?]>)?

    /// - Parameter interval: how long a horizon is given again.
    init(_ terrain: any TerrainSource, directions: Int, every interval: Duration) {
        (self.terrain, self.directions, self.interval) = (terrain, directions, interval)
    }

    /// The elevation angle of the horizon by direction, degrees; nil where it is unknown.
    func degrees(around place: Coordinate) async -> [Double?] {
        let reading = reading(around: place)
        do throws(StoreError) {
            return try await reading.value()
        } catch {
            // The heights are no part of the store: what can't be read of them is unknown.
            return Array(repeating: nil, count: directions)
        }
    }

    private func reading(around place: Coordinate) -> SharedReading<[Double?]> {
        if let newest, newest.place.distanceMetres(to: place) < Self.reachMetres { return newest.reading }
        let reading = SharedReading<[Double?]>(every: interval) { [terrain, directions] in
            let horizon = GroundHorizon(around: place, directions: directions)
            let answer = await terrain.heights(along: horizon.lines)
            return .success(
                horizon.degrees(
                    over: answer.lines.map { $0.map { $0 == TerrainPatch.void ? nil : Double($0) } }))
        }
        newest = (place, reading)
        return reading
    }
}
