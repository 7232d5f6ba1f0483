/// Why a position of the receiver is not believed; counted in health.
public enum PositionRefusal: String, CaseIterable, Sendable {
    case jump = "position_jump"
    case unnamed = "unnamed_position"
}
