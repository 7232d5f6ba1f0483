/// A balloon's path through the air, computed in steps of 50 m of altitude.
struct PredictedPath {
    private static let stepMetres = 50.0
    private static let pathLimit = 200
    /// The most steps for which memory is reserved.
    private static let mostSteps = 3000.0
    /// Below the lowest known layer by more than this (two and a half layers), the wind counts as unknown, metres.
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
            step(
                to: next, (next - end.altitudeMetres) / rate, air.wind(at: (end.altitudeMetres + next) / 2))
        }
        turn = steps.count - 1
    }

    /// Falls under the parachute to the ground.
    mutating func fall(to ground: GroundBelow, by model: DescentModel, _ air: Air) {
        let blindBelow = (air.lowestKnownMetres ?? -.infinity) - Self.blindMetres
        while true {
            let (from, floor) = (end.altitudeMetres, ground.floor(below: end.coordinate, from: start.altitudeMetres))
            guard from > floor else { return }
            let next = max(floor, from - Self.stepMetres)
            let seconds = (from - next) / model.speed(at: (from + next) / 2)
            let wind = air.wind(at: (from + next) / 2)
            let place = end.coordinate.moved(east: wind.east * seconds, north: wind.north * seconds)
            let depth = ground.floor(below: place, from: start.altitudeMetres) - next
            // The step ends in a hill: cut it where it meets the slope.
            let share = depth > 0 ? (from - floor) / (from - floor + depth) : 1
            if (from + next) / 2 < blindBelow { blindMinutes += seconds * share / 60 }
            step(to: from - (from - next) * share, seconds * share, wind)
            if depth > 0 { return }
        }
    }

    private mutating func step(to metres: Double, _ duration: Double, _ wind: Winds.Wind) {
        let middle = (end.altitudeMetres + metres) / 2
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
