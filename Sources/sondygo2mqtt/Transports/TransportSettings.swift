import Gateway
import ReceiverSimulator

/// The settings of a way to the receiver, one of which `receiver.transport` chooses.
///
/// The configuration's keys and contradictions, `run`, `check-config`, `doctor` and `setup` use the list
/// ``Configuration/Receiver/all``.
protocol TransportSettings: Sendable {
    /// Its name in `receiver.transport`.
    static var name: String { get }
    static var keys: [ConfigurationKey] { get }
    /// The flight is simulated or recorded.
    static var isForShow: Bool { get }
    /// What it leads to, for people: `tcp box:2000`.
    var place: String { get }
    func contradictions() -> [Contradiction]
    /// Why it is unreliable on this machine; nil if it is not.
    var knownFault: String? { get }
    /// Its lines in `doctor`.
    func findings(_ checkup: ReceiverCheckup) -> [Finding]
    /// The choice as an answer to the question of `setup`.
    var answer: String { get }
    /// The keys that such an answer sets, beside `receiver.transport`.
    static var answeredKeys: [String] { get }
    /// These keys and `receiver.transport` with their values, nil for null.
    /// - Returns: nil if the answer does not mean this transport.
    static func values(for answer: String) -> KeyValuePairs<String, String?>?
    func transport(_ surroundings: TransportSurroundings) -> any ReceiverTransport
}

/// What the gateway gives to a transport.
struct TransportSurroundings {
    /// Remembers the receiver over restarts.
    var memory: any ReceiverMemory
    /// The speed of a simulated or recorded flight.
    var clock: any SourceClock
    /// The flags of `simulate`.
    var simulator = SimulatorOptions()
}

extension TransportSettings {
    static var isForShow: Bool { false }
    func contradictions() -> [Contradiction] { [] }
    var knownFault: String? { nil }
    var answer: String { Self.name }
    static var answeredKeys: [String] { [] }
    static func values(for answer: String) -> KeyValuePairs<String, String?>? { nil }
}

extension Configuration {
    struct Receiver: Equatable {
        /// The name of the chosen one of the following settings.
        var transport = BluetoothSettings.name
        var ble = BluetoothSettings()
        var serial = SerialSettings()
        var tcp = TCPSettings()
        var replay = ReplaySettings()
        var simulator = SimulatorSettings()
        /// Of a simulated or recorded flight.
        var speed = 1.0
        var frequencyMinimum = 400.0
        var frequencyMaximum = 406.0
        var allowsDangerousSettings = false
        var search = SearchPlan.off

        /// In the order in which an answer to `setup` is understood.
        var all: [any TransportSettings] { [ble, serial, tcp, replay, simulator] }
    }
}

extension Configuration.Receiver {
    /// The one that `receiver.transport` chooses.
    var chosen: any TransportSettings { all.first { type(of: $0).name == transport } ?? ble }

    /// The values of `receiver.transport`.
    static let names = Configuration.Receiver().all.map { type(of: $0).name }

    /// The keys that an answer to the question of `setup` may set.
    static let answeredKeys =
        ["receiver.transport"] + Configuration.Receiver().all.flatMap { type(of: $0).answeredKeys }

    /// The keys that an answer sets, with their values, nil for null.
    /// - Returns: nil if the answer means no transport.
    static func values(for answer: String) -> KeyValuePairs<String, String?>? {
        Configuration.Receiver().all.lazy.compactMap { type(of: $0).values(for: answer) }.first
    }
}

extension ConfigurationKey {
    static let transports =
        [choice("receiver.transport", \.receiver.transport, from: Configuration.Receiver.names)]
        + Configuration.Receiver().all.flatMap { Swift.type(of: $0).keys }
}
