public import FlightMath
public import Gateway
public import Logging

/// A stream of the car's positions: how to reach it, and how to read it.
public struct CarInput: Sendable {
    public var source: CarSource
    public var transport: any ReceiverTransport
    /// Makes the decoder of a new connection.
    public var makeStream: @Sendable () -> any CarStream
    /// A connection without data for this long is closed as dead. Nil for a port of this machine: it has no other side.
    public var silenceLimit: Duration? = .seconds(10)
    /// The name of the device in its fixes, if the source has several and does not name them itself.
    public var device: String?
    /// How a missing source is logged.
    public var faultLevel = Logger.Level.warning

    public init(
        _ source: CarSource, at transport: any ReceiverTransport, makeStream: @escaping @Sendable () -> any CarStream
    ) {
        self.source = source
        self.transport = transport
        self.makeStream = makeStream
    }

    /// gpsd, or a simulated one. Most machines have none.
    public static func gpsd(at transport: any ReceiverTransport) -> CarInput {
        var input = CarInput(.gpsd, at: transport) { GPSDStream() }
        input.faultLevel = .info
        return input
    }
}
