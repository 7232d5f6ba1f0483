import FoundationEssentials

/// What one gateway reads of another one's `bridge/info`.
enum BridgeInfoFormat {
    private struct Info: Decodable {
        var machine: String
    }

    /// The machine's hash.
    static func machine(in payload: [UInt8]) -> String? {
        try? JSONDecoder().decode(Info.self, from: Data(payload)).machine
    }
}
