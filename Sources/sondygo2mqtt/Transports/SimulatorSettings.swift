import Gateway
import ReceiverSimulator
import StreamTransports

/// A simulated receiver and its flight.
struct SimulatorSettings: TransportSettings, Equatable {
    var seed = 1

    static let name = "simulator"
    static let isForShow = true
    static let keys: [ConfigurationKey] = [.integer("receiver.seed", \.receiver.simulator.seed, in: 0...Int.max)]

    var place: String { "simulator, seed \(seed)" }

    func findings(_ checkup: ReceiverCheckup) -> [Finding] { [Finding.ok("receiver", "simulated")] }

    func transport(_ surroundings: TransportSurroundings) -> any ReceiverTransport {
        var options = surroundings.simulator
        options.seed = UInt64(seed)
        return SimulatorTransport(options: options, clock: surroundings.clock)
    }
}
