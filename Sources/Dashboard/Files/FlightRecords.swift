import FlightMath
import Gateway
import GatewayReports

/// What all recorded flights together tell: the crew's logbook, and how well the receiver hears.
struct FlightRecords: Sendable {
    /// How long an answer is given again.
    private static let interval = Duration.seconds(30)

    private let archive: any FlightArchive
    private let logbook: SharedReading<[FlightLogbook.Entry]>
    private let coverage: SharedReading<HeardCoverage>
    /// Nil without files of heights.
    private let horizon: HorizonReading?
    private let home: Coordinate?

    init(_ surroundings: DashboardSurroundings) {
        let archive = surroundings.archive
        self.archive = archive
        let book = Logbook(archive, clock: surroundings.clock)
        logbook = SharedReading(every: Self.interval) {
            do throws(StoreError) { return .success(try await book.entries()) } catch { return .failure(error) }
        }
        coverage = SharedReading(every: Self.interval) {
            do throws(StoreError) { return .success(try await archive.coverage()) } catch { return .failure(error) }
        }
        horizon = surroundings.terrain.map {
            HorizonReading($0, directions: HeardCoverage.directions.count, every: Self.interval)
        }
        home = surroundings.home
    }

    func logbookAnswer() async -> Answer {
        do throws(StoreError) {
            return .json(FlightLogbook.json(try await logbook.value(), isDamaged: archive.isDamaged))
        } catch {
            return .unreadable(error)
        }
    }

    /// - Parameter snapshot: has the car's place, around which the horizon is.
    func coverageAnswer(_ snapshot: Snapshot) async -> Answer {
        var place = home
        if case .chase(let report)? = snapshot[.chase], let car = report.car { place = car.coordinate }
        do throws(StoreError) {
            let heard = try await coverage.value()
            return .json(Self.json(heard, horizon: await horizon(around: place)))
        } catch {
            return .unreadable(error)
        }
    }

    /// The elevation angle of the horizon by direction, degrees; nil where it is unknown.
    private func horizon(around place: Coordinate?) async -> [Double?] {
        guard let place, let horizon else {
            return Array(repeating: nil, count: HeardCoverage.directions.count)
        }
        return await horizon.degrees(around: place)
    }

    /// - Parameter horizon: by direction, degrees.
    static func json(_ coverage: HeardCoverage, horizon: [Double?]) -> [UInt8] {
        let bands = 0...HeardCoverage.bandsKilometres.count
        var json = JSONText()
        json.field("samples", coverage.samples)
        json.array("bands_km", HeardCoverage.bandsKilometres[...]) { $0.value($1) }
        json.array("directions", Array(zip(HeardCoverage.directions, horizon).enumerated())[...]) { inner, element in
            let (direction, (name, horizon)) = element
            let cells = bands.map { coverage.cell(direction, $0) }
            inner.object { fields in
                fields.field("name", name)
                fields.field(
                    "bearing_deg", 360 * Double(direction) / Double(HeardCoverage.directions.count), decimals: 1)
                fields.field("heard", cells.reduce(0) { $0 + ($1?.samples ?? 0) })
                fields.field("farthest_m", coverage.farthestMetres(direction), decimals: 1)
                fields.field("horizon_deg", horizon, decimals: 1)
                fields.array("cells", cells[...]) { inner, cell in
                    inner.element(cell) { fields, cell in
                        fields.field("samples", cell.samples)
                        fields.field("mean_rssi_dbm", cell.meanRSSIDBm, decimals: 1)
                    }
                }
            }
        }
        return json.object
    }
}
