import ReceiverProtocol

/// A signal on the receiver's frequency.
struct HeardSignal: Equatable, Sendable {
    /// Nil for a signal without a name.
    var serial: SondeSerial?
    /// When its last frame arrived, of any kind.
    var heardAt: MonotonicTime
    /// When its last frame of a sonde arrived, if that said no place; nil if it said one, or before the first.
    var placelessAt: MonotonicTime?
}

extension [HeardSignal] {
    /// A sonde that is not heard for this long may give way to another one on its frequency.
    private static var steadyFor: Duration { .seconds(10) }
    /// Another sonde that is not heard for this long stands in no bearing's way.
    private static var otherLasts: Duration { .seconds(60) }

    /// When the receiver last heard a sonde without a place that may be this one: by its name, or without any.
    /// - Parameter followed: nil for any sonde.
    func placelessAt(of followed: SondeSerial?) -> MonotonicTime? {
        filter { followed == nil || $0.serial == nil || $0.serial == followed }.compactMap(\.placelessAt).max()
    }

    /// The sonde that the receiver hears in place of this one; nil if it hears none, this one, or a signal without a name.
    func other(than followed: SondeSerial?, at now: MonotonicTime) -> SondeSerial? {
        guard let followed, let newest = last, let other = newest.serial, other != followed,
            now.duration(since: newest.heardAt) < Self.otherLasts,
            !contains(where: { $0.serial == followed && now.duration(since: $0.heardAt) <= Self.steadyFor })
        else { return nil }
        return other
    }
}
