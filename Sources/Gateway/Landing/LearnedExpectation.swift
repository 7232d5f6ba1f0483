public import FlightMath
public import ReceiverProtocol

/// The values that flights of one type, launched near one place, teach for the next one.
public struct LearnedExpectation: Equatable, Sendable {
    /// The median of the last flights that have the value.
    public struct Median: Equatable, Sendable {
        public var value: Double
        public var flights: Int
        /// Whether enough flights have the value, so that predictions use the median.
        public var isUsed: Bool
    }

    public var sondeType: SondeType
    /// The launch site of the newest of these flights.
    public var launch: Coordinate
    /// Converted to air at sea level, m/s; nil if no flight has it.
    public var descentRate: Median?
    /// Metres above sea level; nil if no flight has it.
    public var burstMetres: Median?

    /// - Parameter lessons: the newest first.
    public static func all(from lessons: [FlightLesson]) -> [LearnedExpectation] {
        LessonBook(lessons).expectations
    }
}
