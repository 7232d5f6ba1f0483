/// The units in which sentences and the page tell distances, heights and speeds. Topics are metric in any case.
public enum Units: String, CaseIterable, Sendable {
    /// Kilometres, metres, metres per second.
    case metric
    /// Miles, feet, feet per minute.
    case imperial
    /// Nautical miles, feet, feet per minute.
    case aviation

    /// The metres of the unit of long distances.
    public var longUnitMetres: Double {
        switch self {
        case .metric: 1000
        case .imperial: 1609.344
        case .aviation: 1852
        }
    }

    /// The metres of the unit of short distances and heights.
    public var shortUnitMetres: Double {
        switch self {
        case .metric: 1
        case .imperial, .aviation: 0.3048
        }
    }
}
