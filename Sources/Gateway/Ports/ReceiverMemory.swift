/// Remembers across restarts which receiver served last: it is tried first, without a scan. What can't be remembered
/// costs a scan and nothing else, so nothing here fails.
public protocol ReceiverMemory: Sendable {
    func recall() async -> RememberedReceiver?
    func remember(_ receiver: RememberedReceiver) async
}

/// A receiver as it was last met over Bluetooth.
public struct RememberedReceiver: Equatable, Sendable {
    /// `AA:BB:CC:DD:EE:FF`.
    public var address: String
    /// Of the two kinds of Bluetooth LE addresses.
    public var isRandom: Bool
    /// As it was advertised; nil when it never was heard.
    public var name: String?

    public init(address: String, isRandom: Bool, name: String?) {
        self.address = address
        self.isRandom = isRandom
        self.name = name
    }
}
