/// Whoever can do on a reading thread what its bytes bring about: to wake another thread for that costs more than a frame
/// itself.
public protocol ThreadBorrower: Sendable {
    /// Calls `deliver`, once, and goes on here with what that made ready - unless somebody is at that already.
    func borrowThread(_ deliver: () -> Void)
}
