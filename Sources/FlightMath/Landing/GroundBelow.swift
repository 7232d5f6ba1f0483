/// Where a fall ends: at the terrain where that is known, else at one altitude.
struct GroundBelow {
    /// Above sea level.
    var metres: Double
    var terrain: TerrainPatch?
    /// The altitude is only the lowest that was heard.
    var isGuessed = false

    /// How far off the landing may be because the ground there is unknown, metres.
    func doubt(about path: PredictedPath, by model: DescentModel, _ air: Air) -> Double {
        guard isGuessed, terrain?.heightMetres(at: path.end.coordinate) == nil else { return 0 }
        var last = PredictedPath(
            from: LandingPrediction.PathPoint(
                time: path.end.time, coordinate: path.end.coordinate,
                altitudeMetres: path.end.altitudeMetres + Ground.unheardMetres), highest: nil)
        last.fall(to: GroundBelow(metres: path.end.altitudeMetres), by: model, air)
        return last.start.coordinate.distanceMetres(to: last.end.coordinate)
    }

    /// The altitude at which a fall at `place` ends, metres above sea level. It is at least 1 m below the altitude
    /// where the fall began, so that a wrong height model can't end the fall above the sonde.
    func floor(below place: Coordinate, from startMetres: Double) -> Double {
        min(terrain?.heightMetres(at: place) ?? metres, startMetres - 1)
    }
}
