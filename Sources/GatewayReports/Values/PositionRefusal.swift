/// Why a position of the receiver is refused. Counted in health.
public enum PositionRefusal: String, CaseIterable, Sendable {
    case jump = "position_jump"
    case unnamed = "unnamed_position"
}
