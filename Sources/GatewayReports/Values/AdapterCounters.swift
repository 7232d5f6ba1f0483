/// The kernel's count of a Bluetooth adapter's faults since it was plugged in.
public struct AdapterCounters: Equatable, Sendable {
    /// The adapter, `hci0`.
    var name: String
    var receiveErrors: Int
    var sendErrors: Int

    public init(name: String, receiveErrors: Int, sendErrors: Int) {
        self.name = name
        self.receiveErrors = receiveErrors
        self.sendErrors = sendErrors
    }
}
