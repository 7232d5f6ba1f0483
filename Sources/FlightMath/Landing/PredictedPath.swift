/// The winds of a flight and the lowest altitude at which it was heard.
struct Air {
    var winds: Winds
    /// Metres above sea level.
    var lowestHeard: Double

    func wind(at metres: Double) -> Winds.Wind { winds.wind(at: metres, lowestHeard: lowestHeard) }
}

/// A balloon's path through the air, computed in steps of 50 m of altitude.
struct PredictedPath {
    private static let stepMetres = 50.0
    private static let pathLimit = 200
    /// The most steps for which memory is reserved.
    private static let mostSteps = 3000.0
    /// Below the lowest measured layer by more than this (two and a half layers), the wind counts as unknown, metres.
    private static let blindMetres = 625.0

    let start: LandingPrediction.PathPoint
    private(set) var end: LandingPrediction.PathPoint
    private(set) var seconds = 0.0
    /// The minutes of the path above the start's altitude.
    private(set) var minutesAbove = 0.0
    /// The minutes of the fall through altitudes whose wind counts as unknown.
    private(set) var blindMinutes = 0.0
    /// All steps, with the turning point; empty if only the end is wanted.
    private var steps: [LandingPrediction.PathPoint] = []
    private let keepsSteps: Bool
    private var turn: Int?

    /// - Parameter highest: the altitude at which the path turns, metres; nil if only the end is wanted.
    init(from start: LandingPrediction.PathPoint, highest: Double?) {
        self.start = start
        end = start
        keepsSteps = highest != nil
        guard let highest else { return }
        // Reserve memory for the way up and down to sea level. To grow the array costs as much as computing the path.
        let count = (2 * highest - start.altitudeMetres) / Self.stepMetres
        steps.reserveCapacity(Int(min(Self.mostSteps, max(0, count))) + 4)
        steps.append(start)
    }

    /// Climbs at a constant rate.
    mutating func climb(to metres: Double, rate: Double, _ air: Air) {
        while end.altitudeMetres < metres {
            let next = min(metres, end.altitudeMetres + Self.stepMetres)
            step(to: next, (next - end.altitudeMetres) / rate, air)
        }
        turn = steps.count - 1
    }

    /// Falls under the parachute.
    mutating func fall(to metres: Double, by model: DescentModel, _ air: Air) {
        let blindBelow = (air.winds.lowestMetres ?? -.infinity) - Self.blindMetres
        while end.altitudeMetres > metres {
            let next = max(metres, end.altitudeMetres - Self.stepMetres)
            let middle = (end.altitudeMetres + next) / 2
            let seconds = (end.altitudeMetres - next) / model.speed(at: middle)
            if middle < blindBelow { blindMinutes += seconds / 60 }
            step(to: next, seconds, air)
        }
    }

    private mutating func step(to metres: Double, _ duration: Double, _ air: Air) {
        let middle = (end.altitudeMetres + metres) / 2
        let wind = air.wind(at: middle)
        seconds += duration
        if middle > start.altitudeMetres { minutesAbove += duration / 60 }
        end.coordinate = end.coordinate.moved(east: wind.east * duration, north: wind.north * duration)
        end.altitudeMetres = metres
        end.time = start.time.advanced(byMilliseconds: Int64(seconds * 1000))
        if keepsSteps { steps.append(end) }
    }

    /// At most 200 of the steps: the first, the last, the turning point, and others at even intervals.
    var thinned: [LandingPrediction.PathPoint] {
        let stride = max(1, (steps.count + Self.pathLimit - 4) / (Self.pathLimit - 3))
        return steps.enumerated().filter { index, _ in
            index.isMultiple(of: stride) || index == turn || index == steps.count - 1
        }.map(\.element)
    }
}
