import Gateway
import StreamTransports

/// The receiver on its USB cable.
struct SerialSettings: TransportSettings, Equatable {
    var device = "/dev/ttyUSB0"
    var baud = 9600

    static let name = "serial"
    static let keys: [ConfigurationKey] = [
        .text("receiver.device", \.receiver.serial.device, accepts: "a path, best below /dev/serial/by-id/") {
            $0.hasPrefix("/")
        },
        .choice("receiver.baud", \.receiver.serial.baud, from: bauds, as: .wholeNumber),
    ]

    private static let bauds: KeyValuePairs<String, Int> = [
        "1200": 1200, "2400": 2400, "4800": 4800, "9600": 9600, "19200": 19_200, "38400": 38_400, "57600": 57_600,
        "115200": 115_200,
    ]

    var place: String { "serial \(device) at \(baud) baud" }

    func findings(_ checkup: ReceiverCheckup) -> [Finding] {
        [PathCheckup.serialDevice(device, at: baud, listens: checkup.listens)]
    }

    var answer: String { "usb" }
    static let answeredKeys = ["receiver.device"]

    static func values(for answer: String) -> KeyValuePairs<String, String?>? {
        if answer.lowercased() == "usb" {
            return SerialCable.device.map { ["receiver.transport": name, "receiver.device": $0] }
        }
        return answer.lowercased().hasPrefix("/dev/") ? ["receiver.transport": name, "receiver.device": answer] : nil
    }

    func transport(_ surroundings: TransportSurroundings) -> any ReceiverTransport {
        SerialTransport(device: device, baud: baud)
    }
}
