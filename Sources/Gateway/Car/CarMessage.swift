/// One message of a source of the car's position.
public enum CarMessage: Equatable, Sendable {
    case fix(CarFix)
    /// The source has no position now.
    case noFix
    /// A whole message that tells no position, such as a list of satellites.
    case other
    /// Bytes that are no whole message, or a message that can't be read.
    case unreadable
}
