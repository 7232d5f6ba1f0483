import FlightStore
import ReceiverProtocol

/// Tells what is known of the firmware that the receiver had in the last flight.
struct FirmwareCheckup {
    /// The store's path.
    let path: String

    /// Empty if the store can't be read, or does not know the firmware.
    func findings() async -> [Finding] {
        guard let firmware = (try? await FlightReader(path: path).newestFirmware()) ?? nil else { return [] }
        return [Finding.ok("receiver", "in the last flight: " + Firmware.summary(of: firmware))]
    }
}
