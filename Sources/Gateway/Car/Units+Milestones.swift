import GatewayReports

// What people call round in each unit.

extension Units {
    /// Announced when the car comes this near to the landing point, metres, the farthest first.
    var distancesToGo: [Double] {
        switch self {
        case .metric: [5000, 2000, 1000, 500, 200]
        case .imperial, .aviation: [5, 2, 1].map { $0 * longUnitMetres } + [2000, 500].map { $0 * shortUnitMetres }
        }
    }

    /// Announced on the way down, metres, the highest first.
    var altitudesDown: [Double] {
        switch self {
        case .metric: [10_000, 5000, 2000, 1000]
        case .imperial, .aviation: [30_000, 15_000, 6000, 3000].map { $0 * shortUnitMetres }
        }
    }

    /// The round step nearest to a number of metres, in metres: a multiple of 1000 feet, from 5000 feet on of 5000.
    func roundStep(near metres: Double) -> Double {
        switch self {
        case .metric: return metres
        case .imperial, .aviation:
            let feet = metres / shortUnitMetres
            let unit = feet < 5000 ? 1000.0 : 5000
            return max(1, (feet / unit).rounded()) * unit * shortUnitMetres
        }
    }
}
