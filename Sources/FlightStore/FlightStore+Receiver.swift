import GRDB
public import Gateway

extension FlightStore: ReceiverMemory {
    private static let name = "receiver"

    public func recall() async -> RememberedReceiver? {
        let text = try? await read { [faults] in try $0.setting(Self.name, faults: faults) }
        return text.flatMap { $0 }.flatMap(RememberedReceiver.init(text:))
    }

    public func remember(_ receiver: RememberedReceiver) async {
        guard await recall() != receiver else { return }
        try? await write { try $0.set(Self.name, to: receiver.text) }
        try? await sync()
    }
}

extension RememberedReceiver {
    /// The stored text: address, `public` or `random`, name.
    fileprivate var text: String { "\(address) \(isRandom ? "random" : "public")\(name.map { " \($0)" } ?? "")" }

    fileprivate init?(text: String) {
        let words = text.split(separator: " ", maxSplits: 2)
        guard words.count >= 2, words[1] == "random" || words[1] == "public" else { return nil }
        self.init(
            address: String(words[0]), isRandom: words[1] == "random", name: words.count > 2 ? String(words[2]) : nil)
    }
}
