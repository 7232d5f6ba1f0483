public import ReceiverProtocol

/// The receiver's frequency and sonde type, as a frame shows them.
public struct Listening: Equatable, Sendable {
    public var frequencyMHz: Double
    public var sondeType: SondeType

    public init(frequencyMHz: Double, sondeType: SondeType) {
        self.frequencyMHz = frequencyMHz
        self.sondeType = sondeType
    }

    /// Nil if the receiver can't be tuned to this type.
    public var tuning: Tuning? { Tuning(frequencyMHz: frequencyMHz, sondeType: sondeType) }
}
