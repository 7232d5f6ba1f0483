import Gateway
import StreamTransports

/// A recorded flight.
struct ReplaySettings: TransportSettings, Equatable {
    var file: String?

    static let name = "replay"
    static let isForShow = true
    static let keys: [ConfigurationKey] = [
        .optional("receiver.file", \.receiver.replay.file, accepts: "the path of a raw log")
    ]

    var place: String { "replay \(file ?? "")" }

    func contradictions() -> [Contradiction] {
        guard file == nil else { return [] }
        return [
            Contradiction(
                keys: ["receiver.transport"],
                text: "receiver.file: needed for receiver.transport replay; give the path of a raw log")
        ]
    }

    func findings(_ checkup: ReceiverCheckup) -> [Finding] { [PathCheckup.recording(file ?? "")] }

    func transport(_ surroundings: TransportSurroundings) -> any ReceiverTransport {
        ReplayTransport(file: file ?? "", clock: surroundings.clock)
    }
}
