import FlightMath
import ReceiverProtocol

// Values as every language rounds them. The languages' files have the words.

extension Phrase {
    static func direction(_ degrees: Double) -> Phrase {
        Phrase("direction", CompassPoint(degrees: degrees)?.word ?? "unknown")
    }

    /// `about 14 kilometres`
    private static func distance(_ metres: Double, isRough: Bool) -> Value {
        isRough ? .phrase(Phrase("about", values: ["distance": .quantity(.roughDistance(metres))])) : .distance(metres)
    }

    /// Where something is as the driver sees it, with its distance.
    /// - Parameter isRough: says "about" before the distance.
    static func place(_ relative: RelativePosition, isRough: Bool = false) -> Phrase {
        let word = relative.isHere ? "here" : RelativeDirection(relative).word
        return Phrase(
            "place", word,
            values: [
                "distance": distance(relative.distanceMetres, isRough: isRough),
                "direction": .phrase(.direction(relative.bearingDegrees)),
            ])
    }

    /// Where something is as the driver sees it.
    static func side(_ relative: RelativePosition) -> Phrase {
        Phrase(
            "side", RelativeDirection(relative).word,
            values: ["direction": .phrase(.direction(relative.bearingDegrees))])
    }

    /// `2 kilometres north of Grenchen`. No direction tells more if the town is near, or if the direction is unknown.
    static func town(_ town: NearbyTown, isRough: Bool = false) -> Phrase {
        let isAt = town.isAtTown || CompassPoint(degrees: town.bearingDegrees) == nil
        return Phrase(
            "town", isAt ? "at" : nil, town.name.vowel,
            values: [
                "distance": distance(town.metres, isRough: isRough),
                "direction": .phrase(.direction(town.bearingDegrees)), "name": .text(town.name),
            ])
    }

    /// `in 41 minutes`
    static func until(_ time: Duration) -> Phrase { Phrase("time", n: .minutes(time)) }

    /// The hour of a launch's sounding, in UTC: `12 UTC`, `11:15 UTC`. Without "UTC" people would take it for local time.
    static func sounding(_ launch: WallTime) -> Phrase {
        let minutes = Int(launch.advanced(by: LaunchesReport.early).wholeSeconds / 60 % 1440)
        let (hour, minute) = (SpokenNumber(minutes / 60), minutes % 60)
        return Phrase(
            "hour", minute == 0 ? "full" : nil, n: hour,
            values: ["hour": .number(hour), "minute": .text(minute < 10 ? "0\(minute)" : "\(minute)")])
    }

    /// `403.5 megahertz, type RS41`
    static func tuning(_ tuning: Tuning) -> Phrase {
        let frequency = SpokenNumber(tuning.frequencyMHz, step: 1)
        return Phrase(
            "tuning", n: frequency, values: ["frequency": .number(frequency), "type": .text(tuning.sondeType.name)])
    }

    /// A landing point; nil if nobody can say where it is.
    static func landingPoint(_ landing: SpokenLanding, from car: CarPosition?) -> Phrase? {
        switch landing.words(from: car) {
        case .unknown: nil
        case .within(let metres, let town):
            Phrase("where", "within", town.vowel, values: ["radius": .distance(metres), "town": .text(town)])
        case .around(let metres): Phrase("where", "around", values: ["radius": .distance(metres)])
        case .fromCar(let relative, .metres(let error)):
            Phrase(
                "where", "car",
                values: [
                    "place": .phrase(.place(relative)),
                    "radius": error.map { .quantity(.error($0, of: relative.isHere ? nil : relative.distanceMetres)) },
                ])
        case .fromTown(let town, .metres(let error)):
            Phrase(
                "where", "town",
                values: [
                    "town": .phrase(.town(town)),
                    "radius": error.map { .quantity(.error($0, of: town.isAtTown ? nil : town.metres)) },
                ])
        case .fromCar(let relative, .inAWord):
            Phrase("where", "car", values: ["place": .phrase(.place(relative, isRough: true))])
        case .fromTown(let town, .inAWord):
            Phrase("where", "town", values: ["town": .phrase(.town(town, isRough: true))])
        }
    }
}

extension SpokenNumber {
    /// Whole minutes, from a hundred on tens of them; a negative duration has none.
    static func minutes(_ duration: Duration) -> SpokenNumber { .round(max(0, duration.inSeconds / 60)) }

    /// A whole number as people say it: above a hundred nobody says the ones.
    static func round(_ value: Double) -> SpokenNumber { SpokenNumber(value, step: value < 99.5 ? 1000 : 10_000) }
}

extension String {
    /// `vowel` if the name begins with one. Some languages shorten the word before it: "d'Olten".
    var vowel: String? {
        first.map { "aeiouyàâäáéèêëíîïóôöúûüœ".contains($0.lowercased()) } == true ? "vowel" : nil
    }
}

extension RelativePosition {
    /// The place is so near that a sentence says "here": nobody says "10 metres behind".
    var isHere: Bool { distanceMetres < 15 }
}

enum CompassPoint: Int, CaseIterable {
    case north, northEast, east, southEast, south, southWest, west, northWest

    /// - Returns: nil if the direction is unknown.
    init?(degrees: Double) {
        guard degrees.isFinite else { return nil }
        let index = Int((degrees.remainder(dividingBy: 360) / 45).rounded())
        self.init(rawValue: (index + 8) % 8)
    }

    /// The end of the key of its text.
    var word: String {
        switch self {
        case .north: "north"
        case .northEast: "north_east"
        case .east: "east"
        case .southEast: "south_east"
        case .south: "south"
        case .southWest: "south_west"
        case .west: "west"
        case .northWest: "north_west"
        }
    }
}

/// Where a place is as the driver sees it.
enum RelativeDirection: Equatable {
    enum Side: String { case left, right }

    /// The car's course is unknown.
    case compass
    case ahead
    case halfAhead(Side)
    case side(Side)
    case halfBehind(Side)
    case behind

    init(_ relative: RelativePosition) {
        guard let turn = relative.relativeBearingDegrees else {
            self = .compass
            return
        }
        let side = turn < 0 ? Side.left : .right
        switch abs(turn) {
        case ..<22.5: self = .ahead
        case ..<67.5: self = .halfAhead(side)
        case ..<112.5: self = .side(side)
        case ..<157.5: self = .halfBehind(side)
        default: self = .behind
        }
    }

    /// The end of the key of its text.
    var word: String {
        switch self {
        case .compass: "compass"
        case .ahead: "ahead"
        case .halfAhead(let side): "half_\(side.rawValue)"
        case .side(let side): side.rawValue
        case .halfBehind(let side): "behind_\(side.rawValue)"
        case .behind: "behind"
        }
    }
}

extension LandingScore {
    /// How far the predictions were off 15 minutes before the landing and at the end, metres; of the method that was in
    /// force, else of the best.
    var spokenErrors: (early: Double?, last: Double?) {
        let judged = inForce.map { [$0] } ?? Array(errors.values)
        return (judged.compactMap(\.at15Minutes).min(), judged.compactMap(\.last).min())
    }
}
