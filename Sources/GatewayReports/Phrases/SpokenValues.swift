import FlightMath
import ReceiverProtocol

// Values as every language rounds them; each language has its own words for them.

/// A distance: tens of metres, at least one ten, below one kilometre, tenths below ten kilometres, else whole kilometres.
enum SpokenDistance: Equatable {
    case unknown
    case metres(Int)
    /// One kilometre after rounding.
    case kilometre
    case kilometres(Number)

    /// `3.4`, `12`
    struct Number: Equatable {
        var tenths: Int

        /// - Parameter separator: between the whole kilometres and the tenths.
        func callAsFunction(_ separator: String) -> String {
            tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10)\(separator)\(tenths % 10)"
        }
    }

    init(_ metres: Double) {
        guard metres.isFinite, metres >= 0 else {
            self = .unknown
            return
        }
        let tenths = Int((min(metres, 1e8) / 100).rounded())
        if metres < 1000 {
            self = .metres(max(1, Int((metres / 10).rounded())) * 10)
        } else if tenths == 10 {
            self = .kilometre
        } else {
            let whole = Int((Double(tenths) / 10).rounded())
            self = .kilometres(Number(tenths: tenths >= 100 ? whole * 10 : tenths))
        }
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
}

/// Where a place is as the driver sees it.
enum RelativeDirection: Equatable {
    enum Side { case left, right }

    /// Degrees from north: the car's course is unknown.
    case compass(Double)
    case ahead
    case halfAhead(Side)
    case side(Side)
    case halfBehind(Side)
    case behind

    init(_ relative: RelativePosition) {
        guard let turn = relative.relativeBearingDegrees else {
            self = .compass(relative.bearingDegrees)
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
}

extension Phrasebook {
    func wholeMinutes(_ duration: Duration) -> Int { max(0, Int((duration.inSeconds / 60).rounded())) }

    /// `3.4`, `3`
    func tenths(_ value: Double?, _ separator: String) -> String {
        let tenths = Int(exactly: ((value ?? 0) * 10).rounded()) ?? 0
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10)\(separator)\(tenths % 10)"
    }

    func wholeMetres(_ metres: Double) -> Int { Int(exactly: metres.rounded()) ?? 0 }

    /// `403,5`, `404`
    func megahertz(_ tuning: Tuning, _ separator: String) -> String {
        let text = "\(tuning.frequencyMHz)"
        return (text.hasSuffix(".0") ? String(text.dropLast(2)) : text).replacing(".", with: separator)
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

extension Phrasebook {
    /// The hour of a launch's sounding, in UTC: `12 UTC`, `11:15 UTC`. Without "UTC" people would take it for local
    /// time.
    /// - Parameters:
    ///   - fullHour: stands behind an hour without minutes.
    ///   - separator: stands between the hour and the minutes.
    func sounding(_ launch: WallTime, fullHour: String, separator: String) -> String {
        let minutes = Int(launch.advanced(by: LaunchesReport.early).wholeSeconds / 60 % 1440)
        let (hour, minute) = (minutes / 60, minutes % 60)
        let time = minute == 0 ? "\(hour)\(fullHour)" : "\(hour)\(separator)\(minute < 10 ? "0" : "")\(minute)"
        return time + " UTC"
    }
}
