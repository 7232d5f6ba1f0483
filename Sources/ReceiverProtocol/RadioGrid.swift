/// The grid of frequencies on which sondes transmit: whole 10 kHz. Receivers, decoders and stations round a frequency in
/// different ways, so that two frequencies may differ by one step and be the same.
public enum RadioGrid {
    private static let stepsPerMHz = 100.0
    /// One step, MHz, with what decimal fractions lose as binary ones.
    private static let stepMHz = 0.01 + 1e-6

    /// The nearest frequency of the grid, MHz.
    public static func nearest(to megahertz: Double) -> Double { (megahertz * stepsPerMHz).rounded() / stepsPerMHz }

    /// How far a frequency lies from the grid, MHz.
    public static func error(of megahertz: Double) -> Double { abs(megahertz - nearest(to: megahertz)) }

    /// Whether two frequencies, MHz, differ by one step at most.
    public static func agree(_ one: Double, _ other: Double) -> Bool { abs(one - other) <= stepMHz }
}
