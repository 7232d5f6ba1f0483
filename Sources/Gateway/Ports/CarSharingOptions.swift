/// Whether the car's position is published on SondeHub.
public struct CarSharingOptions: Equatable, Sendable {
    /// Nil publishes nothing.
    public var callSign: String?
    public var interval: Duration
    /// False if SondeHub is switched off. Then the gateway never contacts it.
    public var mayAsk: Bool

    public init(callSign: String? = nil, interval: Duration = .seconds(30), mayAsk: Bool = true) {
        self.callSign = callSign
        self.interval = interval
        self.mayAsk = mayAsk
    }
}
