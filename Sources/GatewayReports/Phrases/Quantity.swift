/// A measured value in a sentence, in metres and seconds. Here, and nowhere else, such a value becomes a number with a
/// unit. The languages' files have the units' words.
enum Quantity: Equatable, Sendable {
    /// A distance over the ground.
    case distance(Double)
    /// A distance that is said with "about": tenths would claim too much.
    case roughDistance(Double)
    /// How far off a place may be that lies at a distance; nil for a place without one. "14 kilometres ahead, give or
    /// take 3" leaves the unit out where it is the same.
    case error(Double, of: Double?)
    /// A height that the sonde reached.
    case altitude(Double)
    /// How high the sonde is now.
    case height(Double)
    /// Upwards or downwards, not negative.
    case verticalSpeed(Double)

    func value(in units: Units) -> Phrase.Value {
        switch self {
        case .distance(let metres): return .phrase(Self.far(metres, units))
        case .roughDistance(let metres):
            let whole = (metres / units.longUnitMetres).rounded() * units.longUnitMetres
            return .phrase(Self.far(metres < 2 * units.longUnitMetres ? metres : whole, units))
        case .error(let metres, let way):
            guard let way, way >= units.longUnitMetres, metres >= units.longUnitMetres,
                let number = Self.far(metres, units).number
            else { return .phrase(Self.far(metres, units)) }
            return .number(number)
        case .altitude(let metres):
            return .phrase(units == .metric ? Self.far(metres, units) : Self.feet(metres))
        case .height(let metres): return .phrase(units == .metric ? Self.metres(metres) : Self.feet(metres))
        case .verticalSpeed(let speed): return .phrase(Self.climb(speed, units))
        }
    }

    /// The unit of long distances from one of them on: tenths below ten, else whole ones, from a hundred on tens. Below
    /// it metres or feet: tens, from a thousand feet on hundreds, at least ten.
    private static func far(_ metres: Double, _ units: Units) -> Phrase {
        guard metres.isFinite, metres >= 0 else { return Phrase("distance", "unknown") }
        let count = metres / units.longUnitMetres
        guard count >= 1 else {
            let near = metres / units.shortUnitMetres
            return Phrase(
                "distance", units == .metric ? "metres" : "feet", n: rounded(near, to: near < 1000 ? 10 : 100))
        }
        let tenths = SpokenNumber(count, step: 100)
        let word =
            switch units {
            case .metric: "kilometres"
            case .imperial: "miles"
            case .aviation: "sea_miles"
            }
        return Phrase("distance", word, n: tenths.thousandths < 10_000 ? tenths : .round(count))
    }

    /// Hundreds of metres below ten kilometres.
    private static func metres(_ metres: Double) -> Phrase {
        guard metres < 9950 else { return far(metres, .metric) }
        return Phrase("distance", "metres", n: rounded(metres, to: 100))
    }

    /// Hundreds of feet below ten thousand, then thousands.
    private static func feet(_ metres: Double) -> Phrase {
        let feet = metres / Units.imperial.shortUnitMetres
        guard feet.isFinite else { return Phrase("distance", "unknown") }
        if feet < 9950 { return Phrase("distance", "feet", n: rounded(feet, to: 100)) }
        return Phrase("distance", "thousand_feet", n: SpokenNumber(feet / 1000))
    }

    /// Whole metres per second, or hundreds of feet per minute.
    private static func climb(_ speed: Double, _ units: Units) -> Phrase {
        if units == .metric { return Phrase("speed", "metres_per_second", n: SpokenNumber(speed)) }
        return Phrase("speed", "feet_per_minute", n: rounded(speed * 60 / units.shortUnitMetres, to: 100))
    }

    /// Whole steps, at least one.
    private static func rounded(_ value: Double, to step: Double) -> SpokenNumber {
        SpokenNumber(max(1, (value / step).rounded()) * step)
    }
}
