/// Remembers across restarts which receiver served last. The gateway tries that one first, without a scan. If it can't
/// be remembered, the gateway scans, so no call here fails.
public protocol ReceiverMemory: Sendable {
    func recall() async -> RememberedReceiver?
    func remember(_ receiver: RememberedReceiver) async
}

/// A receiver as last seen over Bluetooth.
public struct RememberedReceiver: Equatable, Sendable {
    /// `AA:BB:CC:DD:EE:FF`.
    public var address: String
    /// Whether the Bluetooth LE address is random; public if not.
    public var isRandom: Bool
    /// The advertised name; nil if no advertisement was heard.
    public var name: String?

    public init(address: String, isRandom: Bool, name: String?) {
        self.address = address
        self.isRandom = isRandom
        self.name = name
    }
}
