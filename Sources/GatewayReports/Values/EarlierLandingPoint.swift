public import FlightMath

/// An earlier landing point.
public struct EarlierLandingPoint: Equatable, Sendable {
    public var coordinate: Coordinate
    public var time: WallTime

    public init(coordinate: Coordinate, time: WallTime) {
        self.coordinate = coordinate
        self.time = time
    }
}

extension EarlierLandingPoint: HoldsTimes {
    package mutating func replaceTimes(_ replacement: (WallTime) -> WallTime) { time = replacement(time) }
}
