import RealModule

/// A fall under a parachute. It is faster in thinner air. Radiosondes also fall faster and faster, because their
/// parachutes are small or tangled.
struct DescentModel: Equatable, Sendable {
    /// The descent rate at ``startMetres``, converted to air at sea level, m/s.
    var seaLevelRate: Double
    /// The rate grows by e to this power per 10 km fallen; 0 for big parachutes.
    var growth: Double
    /// Where the fall begins, metres above sea level.
    var startMetres: Double

    /// The speed downwards at an altitude, m/s.
    func speed(at metres: Double) -> Double {
        seaLevelRate * Double.exp(growth * (startMetres - metres) / 10_000) / Atmosphere.densityRoot(at: metres)
    }
}
