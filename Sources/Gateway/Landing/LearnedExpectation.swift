public import FlightMath
public import ReceiverProtocol

/// What flights of one type that were launched near one place teach about the next one.
public struct LearnedExpectation: Equatable, Sendable {
    /// The median of the last flights that tell.
    public struct Median: Equatable, Sendable {
        public var value: Double
        public var flights: Int
        /// Enough flights have told.
        public var isUsed: Bool
    }

    public var sondeType: SondeType
    /// Where the newest of them was launched.
    public var launch: Coordinate
    /// m/s in air as at sea level; nil if no flight tells.
    public var descentRate: Median?
    /// Metres above sea level; nil if no flight tells.
    public var burstMetres: Median?

    /// - Parameter lessons: the newest first.
    public static func all(from lessons: [FlightLesson]) -> [LearnedExpectation] {
        LessonBook(lessons).expectations
    }

    /// The factor by which radii are multiplied; 1 from too few flights.
    public static func radiusFactor(from lessons: [FlightLesson]) -> Double { LessonBook(lessons).radiusFactor }
}
