extension Coordinate {
    /// Within this distance balloons are launched alike, and the ground is about as high, metres.
    private static let regionMetres = 50_000.0

    /// Whether what is known of one place also serves for the other.
    public func isInRegion(of other: Coordinate) -> Bool { distanceMetres(to: other) <= Self.regionMetres }
}
