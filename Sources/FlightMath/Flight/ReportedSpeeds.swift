/// The speeds that the sonde itself reports, m/s; nil if unknown. They count only where a single point must decide.
public struct ReportedSpeeds: Equatable, Sendable {
    /// Over ground.
    public var horizontal: Double?
    /// Positive up.
    public var vertical: Double?

    public init(horizontal: Double? = nil, vertical: Double? = nil) {
        self.horizontal = horizontal
        self.vertical = vertical
    }
}
