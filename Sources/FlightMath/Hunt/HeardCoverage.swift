/// How well a receiver hears, by direction and distance, over all recorded flights.
public struct HeardCoverage: Equatable, Sendable {
    /// The directions, clockwise from north; each is the middle of its sector.
    public static let directions = [
        "N", "NNE", "NE", "ENE", "E", "ESE", "SE", "SSE", "S", "SSW", "SW", "WSW", "W", "WNW", "NW", "NNW",
    ]
    /// The distances at which the next band begins, kilometres. The last band has no end.
    public static let bandsKilometres = [10, 25, 50, 100, 200]

    /// What was heard in one sector and band.
    public struct Cell: Equatable, Sendable {
        /// The index of ``directions``.
        public var direction: Int
        /// The index of the band: 0 is nearer than the first of ``bandsKilometres``.
        public var band: Int
        public var samples: Int
        public var meanRSSIDBm: Double
        public var farthestMetres: Double

        public init(direction: Int, band: Int, samples: Int, meanRSSIDBm: Double, farthestMetres: Double) {
            self.direction = direction
            self.band = band
            self.samples = samples
            self.meanRSSIDBm = meanRSSIDBm
            self.farthestMetres = farthestMetres
        }
    }

    public var cells: [Cell]

    public init(cells: [Cell]) { self.cells = cells }

    public var samples: Int { cells.reduce(0) { $0 + $1.samples } }

    /// Adds what was heard in another flight.
    public mutating func add(_ other: HeardCoverage) {
        for cell in other.cells {
            guard let index = cells.firstIndex(where: { ($0.direction, $0.band) == (cell.direction, cell.band) }) else {
                cells.append(cell)
                continue
            }
            let known = cells[index]
            let samples = known.samples + cell.samples
            let sum = known.meanRSSIDBm * Double(known.samples) + cell.meanRSSIDBm * Double(cell.samples)
            cells[index].meanRSSIDBm = samples > 0 ? sum / Double(samples) : known.meanRSSIDBm
            cells[index].farthestMetres = max(known.farthestMetres, cell.farthestMetres)
            cells[index].samples = samples
        }
        cells.sort { ($0.direction, $0.band) < ($1.direction, $1.band) }
    }

    public func cell(_ direction: Int, _ band: Int) -> Cell? {
        cells.first { $0.direction == direction && $0.band == band }
    }

    /// The greatest distance at which a sonde in that direction was heard, metres; nil if none was.
    public func farthestMetres(_ direction: Int) -> Double? {
        cells.filter { $0.direction == direction }.map(\.farthestMetres).max()
    }
}
