import FlightMath

/// Writes one format.
protocol FlightFileWriter: Sendable {
    mutating func begin(_ text: inout FileText)
    /// - Parameter sample: how the sonde was heard then; nil if nothing is known.
    mutating func add(_ point: TrackPoint, _ sample: HeardSample?, _ text: inout FileText)
    /// Call when the next point is after the landing.
    mutating func endFlight(_ text: inout FileText)
    /// Adds a point of the car's own way. Such points follow the flight's.
    mutating func add(_ point: CarPoint, _ text: inout FileText)
    mutating func end(_ text: inout FileText)
}

extension FlightFileWriter {
    /// The name of the part after the landing.
    static var afterLanding: String { "after the landing" }
}
