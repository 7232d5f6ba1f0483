import FoundationEssentials
import Glibc

/// The USB cables with a chip that MySondyGo boards have. GPS mice have it, too.
enum SerialCable {
    private static let folder = "/dev/serial/by-id"
    private static let makers = ["Silicon_Labs", "CP210", "1a86", "QinHeng", "USB_Serial", "USB_Single_Serial"]

    /// The only cable, or the usual device if none is plugged in; nil if there are several. The name has the board's
    /// serial number, so it stays when the port changes.
    static var device: String? {
        device(among: (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
    }

    /// The devices of all cables that are plugged in.
    static var devices: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted().map { "\(folder)/\($0)" }
    }

    private static let serviceFile = "/etc/systemd/system/sondygo2mqtt.service.d/usb-cable.conf"

    /// What a person must run before the service can use the cable; empty if nothing.
    /// - Parameter answer: that to the receiver's question.
    static func commands(for answer: String?) -> [String] {
        guard let answer = answer?.lowercased(), answer == "usb" || answer.hasPrefix("/dev/"),
            access(serviceFile, F_OK) != 0
        else { return [] }
        return [
            "sudo install -D -m 644 /usr/share/doc/sondygo2mqtt/examples/usb-cable.conf \(serviceFile)",
            "sudo systemctl daemon-reload && sudo systemctl restart sondygo2mqtt",
        ]
    }

    /// - Parameter names: what the folder holds.
    static func device(among names: [String]) -> String? {
        let cables = names.filter { name in makers.contains { name.contains($0) } }
        guard cables.count <= 1 else { return nil }
        return cables.first.map { "\(folder)/\($0)" } ?? SerialSettings().device
    }
}
