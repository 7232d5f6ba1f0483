import FoundationEssentials

/// The part of another gateway's `bridge/info` that this gateway reads.
enum BridgeInfoFormat {
    private struct Info: Decodable {
        var machine: String
    }

    /// - Returns: the hash that identifies the other gateway's machine; nil if the message has none.
    static func machine(in payload: [UInt8]) -> String? {
        try? JSONDecoder().decode(Info.self, from: Data(payload)).machine
    }
}
