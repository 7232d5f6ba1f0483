/// The winds of a flight and how low it was heard.
struct Air {
    var winds: Winds
    /// Metres above sea level.
    var lowestHeard: Double

    func wind(at metres: Double) -> Winds.Wind { winds.wind(at: metres, lowestHeard: lowestHeard) }
}

/// A balloon's way through the air, stepped along in 50 m of altitude.
struct PredictedPath {
    private static let stepMetres = 50.0
    private static let pathLimit = 200
    /// For which room is made beforehand.
    private static let mostSteps = 3000.0
    /// Layers more than two and a half of them below the lowest one met count as not known, metres.
    private static let blindMetres = 625.0

    let start: LandingPrediction.PathPoint
    private(set) var end: LandingPrediction.PathPoint
    private(set) var seconds = 0.0
    /// Minutes of the way above the start.
    private(set) var minutesAbove = 0.0
    /// Minutes of the fall below all winds that were met.
    private(set) var blindMinutes = 0.0
    /// All steps; the turning point is among them. None where nobody asks for the path.
    private var steps: [LandingPrediction.PathPoint] = []
    private let keepsSteps: Bool
    private var turn: Int?

    /// - Parameter highest: where it turns, metres; nil for a way of which only the end is wanted.
    init(from start: LandingPrediction.PathPoint, highest: Double?) {
        self.start = start
        end = start
        keepsSteps = highest != nil
        guard let highest else { return }
        // Up, and down to about sea level; to grow into it costs as much as the way itself.
        let count = (2 * highest - start.altitudeMetres) / Self.stepMetres
        steps.reserveCapacity(Int(min(Self.mostSteps, max(0, count))) + 4)
        steps.append(start)
    }

    /// Climbs steadily.
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

    /// At most 200 of the steps: the first, the last, the turning point, and others evenly between.
    var thinned: [LandingPrediction.PathPoint] {
        let stride = max(1, (steps.count + Self.pathLimit - 4) / (Self.pathLimit - 3))
        return steps.enumerated().filter { index, _ in
            index.isMultiple(of: stride) || index == turn || index == steps.count - 1
        }.map(\.element)
    }
}
