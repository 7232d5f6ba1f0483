import ReceiverProtocol

/// Numbers as people say them.
enum Spoken {
    /// `350 metres`, `3.4 kilometres`, `12 kilometres`
    static func distance(_ metres: Double) -> String {
        guard metres.isFinite, metres >= 0 else { return "an unknown distance" }
        if metres < 1000 { return "\(Int((metres / 10).rounded()) * 10) metres" }
        let tenths = Int((min(metres, 1e8) / 100).rounded())
        if tenths >= 100 { return "\(Int((Double(tenths) / 10).rounded())) kilometres" }
        return tenths % 10 == 0 ? kilometres(tenths / 10) : "\(tenths / 10).\(tenths % 10) kilometres"
    }

    private static func kilometres(_ count: Int) -> String { count == 1 ? "1 kilometre" : "\(count) kilometres" }

    /// `north-east`
    static func direction(_ degrees: Double) -> String {
        let words = [
            "north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west",
        ]
        guard degrees.isFinite else { return "an unknown direction" }
        let index = Int((degrees / 45).rounded()) % 8
        return words[(index + 8) % 8]
    }

    /// `41 minutes`, `1 minute`
    static func minutes(_ duration: Duration) -> String {
        let minutes = max(0, Int((duration.inSeconds / 60).rounded()))
        return minutes == 1 ? "1 minute" : "\(minutes) minutes"
    }
}
