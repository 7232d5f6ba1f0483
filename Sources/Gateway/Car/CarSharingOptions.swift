/// Whether SondeHub's users are told where the car is, by its crew's wish (specification 8.6).
public struct CarSharingOptions: Equatable, Sendable {
    /// Nil: nobody is told.
    public var callSign: String?
    public var interval: Duration
    /// False: SondeHub is switched off, and not asked for anything.
    public var mayAsk: Bool

    public init(callSign: String? = nil, interval: Duration = .seconds(30), mayAsk: Bool = true) {
        self.callSign = callSign
        self.interval = interval
        self.mayAsk = mayAsk
    }
}
