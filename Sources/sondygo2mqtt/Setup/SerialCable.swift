import FoundationEssentials

/// The USB cables with a chip that MySondyGo boards have. GPS mice have it, too.
enum SerialCable {
    private static let folder = "/dev/serial/by-id"
    private static let makers = ["Silicon_Labs", "CP210", "1a86", "QinHeng", "USB_Serial", "USB_Single_Serial"]

    /// The only cable, or the usual device if none is plugged in; nil if there are several. The name has the board's
    /// serial number, so it stays when the port changes.
    static var device: String? {
        device(among: (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
    }

    /// - Parameter names: what the folder holds.
    static func device(among names: [String]) -> String? {
        let cables = names.filter { name in makers.contains { name.contains($0) } }
        guard cables.count <= 1 else { return nil }
        return cables.first.map { "\(folder)/\($0)" } ?? Configuration.Receiver().device
    }
}
