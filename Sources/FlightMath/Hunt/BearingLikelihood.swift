import RealModule

/// How likely the places around the best one are by the bearings: on rings whose radii grow evenly, because the places
/// near the best one matter as much as those far behind it.
///
/// Seen from far away all bearings point the same way, so by them alone no distance would be too large. Beforehand a place
/// is the less likely the farther it lies from the crew, measured by the crew's last step: a crew that comes nearer takes
/// its bearings at shorter steps. Not each crew does, so the radii doubt it: with the last step alone the 90 % held
/// 30 % of the sondes where six bearings were taken in even steps straight towards them.
struct BearingLikelihood {
    private static let directions = 36
    private static let medianSteps = 25
    private static let radii: [Double] = (0..<56).map { 4 * Double.pow(1.19, Double($0)) }

    /// A place of the grid, as an offset from the best one, with its part of the likelihood.
    private struct Cell {
        var offset: BearingPlane.Point
        var part: Double
    }

    private var cells: [Cell]

    /// The doubt for the 90 % radius and the ellipse, see ``BearingPlane/expectation(of:doubt:)``. The place itself needs
    /// none: it gets farther from the truth with it.
    static let doubt = 1.0 / 3

    init(_ plane: BearingPlane, around best: BearingPlane.Point, _ weights: [Double], doubt: Double = 0) {
        let least = plane.cost(of: best, weights)
        let turns = (0..<Self.directions).map { index in
            let angle = 2 * .pi * Double(index) / Double(Self.directions)
            return BearingPlane.Point(east: Double.sin(angle), north: Double.cos(angle))
        }
        var cells: [Cell] = []
        for radius in Self.radii {
            for turn in turns {
                let offset = BearingPlane.Point(east: radius * turn.east, north: radius * turn.north)
                let place = best + offset
                // The area of a cell grows with the square of its radius.
                let part =
                    Double.exp(least - plane.cost(of: place, weights)) * plane.expectation(of: place, doubt: doubt)
                cells.append(Cell(offset: offset, part: part * radius * radius))
            }
        }
        let sum = cells.reduce(0) { $0 + $1.part }
        self.cells = cells.map { Cell(offset: $0.offset, part: $0.part / sum) }
    }

    /// The place from which the others are nearest on average, as an offset from the best one. Some likelihood far away
    /// hardly moves it.
    var median: BearingPlane.Point {
        var median = BearingPlane.Point(east: 0, north: 0)
        for _ in 0..<Self.medianSteps {
            var (sum, east, north) = (0.0, 0.0, 0.0)
            for cell in cells {
                let (x, y) = (cell.offset.east - median.east, cell.offset.north - median.north)
                let weight = cell.part / max(1, (x * x + y * y).squareRoot())
                sum += weight
                east += weight * cell.offset.east
                north += weight * cell.offset.north
            }
            median = BearingPlane.Point(east: east / sum, north: north / sum)
        }
        return median
    }

    /// The radius around the best place that holds this part of the likelihood, metres.
    func radius(of part: Double) -> Double { Self.quantile(part, of: cells) { $0.squared.squareRoot() } }

    /// The ellipse that holds this part of the likelihood. The places beyond the circle that does so give it no shape:
    /// there are few, and far away.
    func ellipse(of part: Double) -> BearingEstimate.Ellipse {
        let limit = radius(of: part)
        var (sum, eastEast, eastNorth, northNorth) = (0.0, 0.0, 0.0, 0.0)
        for cell in cells where cell.offset.squared <= limit * limit {
            sum += cell.part
            eastEast += cell.part * cell.offset.east * cell.offset.east
            eastNorth += cell.part * cell.offset.east * cell.offset.north
            northNorth += cell.part * cell.offset.north * cell.offset.north
        }
        let middle = (eastEast + northNorth) / 2 / sum
        let difference = (eastEast - northNorth) / 2 / sum
        let half = (difference * difference + eastNorth * eastNorth / sum / sum).squareRoot()
        let (major, minor) = ((middle + half).squareRoot(), max(1, middle - half).squareRoot())
        let angle = Double.atan2(y: 2 * eastNorth, x: northNorth - eastEast) / 2
        let axis = BearingPlane.Point(east: Double.sin(angle), north: Double.cos(angle))
        let scale = Self.quantile(part, of: cells) { offset in
            let along = (offset.east * axis.east + offset.north * axis.north) / major
            let across = (offset.east * axis.north - offset.north * axis.east) / minor
            return (along * along + across * across).squareRoot()
        }
        let degrees = angle / Coordinate.radians
        return BearingEstimate.Ellipse(
            semiMajorMetres: scale * major, semiMinorMetres: scale * minor,
            bearingDegrees: degrees < 0 ? degrees + 180 : degrees)
    }

    /// The measure below which this part of the likelihood lies.
    private static func quantile(
        _ part: Double, of cells: [Cell], by measure: (BearingPlane.Point) -> Double
    ) -> Double {
        var sum = 0.0
        let measured = cells.map { (measure: measure($0.offset), part: $0.part) }.sorted { $0.measure < $1.measure }
        for cell in measured {
            sum += cell.part
            if sum >= part { return cell.measure }
        }
        return measured.last?.measure ?? 0
    }
}
