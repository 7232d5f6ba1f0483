/// Where a fall ends: at the terrain where it is known, else at one altitude.
struct GroundBelow {
    /// Above sea level.
    var metres: Double
    var terrain: TerrainPatch?
    /// The altitude is only the lowest that was heard.
    var isGuessed = false

    /// How far off the landing may be because the ground there is unknown, metres.
    func doubt(about path: PredictedPath) -> Double {
        isGuessed && terrain?.heightMetres(at: path.end.coordinate) == nil ? path.lastDriftMetres : 0
    }

    /// How far a sonde may fall from a place, metres above sea level. It is always 1 m below where the fall began, at
    /// least, so that a wrong height model can't end the fall above the sonde.
    func floor(below place: Coordinate, from startMetres: Double) -> Double {
        min(terrain?.heightMetres(at: place) ?? metres, startMetres - 1)
    }
}
