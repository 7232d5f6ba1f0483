import FlightMath

extension Spoken {
    /// Where something is as the driver sees it: `3.4 kilometres ahead, half left`; without a course
    /// `3.4 kilometres to the north-east`.
    static func place(_ sight: Sight) -> String {
        let distance = distance(sight.distanceMetres)
        guard let turn = sight.relativeBearingDegrees else {
            return "\(distance) to the \(direction(sight.bearingDegrees))"
        }
        let side = turn < 0 ? "left" : "right"
        switch abs(turn) {
        case ..<22.5: return "\(distance) ahead"
        case ..<67.5: return "\(distance) ahead, half \(side)"
        case ..<112.5: return "\(distance) to the \(side)"
        case ..<157.5: return "\(distance) behind, half \(side)"
        default: return "\(distance) behind"
        }
    }

    /// `ahead`, `half left`, `to the north-east`
    static func side(_ sight: Sight) -> String {
        guard let turn = sight.relativeBearingDegrees else { return "to the \(direction(sight.bearingDegrees))" }
        let side = turn < 0 ? "left" : "right"
        switch abs(turn) {
        case ..<22.5: return "straight ahead"
        case ..<67.5: return "half \(side)"
        case ..<112.5: return "to the \(side)"
        case ..<157.5: return "behind, half \(side)"
        default: return "behind"
        }
    }
}
