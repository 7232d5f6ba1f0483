/// What the rocket app asks for: one JSON object in a line.
public struct RocketRequest: Equatable, Sendable {
    /// What is answered, and what is refused: a phone must not erase the recorder.
    public enum Command: Equatable, Sendable {
        case ping, status, gatewayInfo, flightComputerInfo, rockets, flashList
        /// Samples from this one on; nil asks for the header.
        case flashRead(slot: Int, sample: Int?)
        case refused
        case unknown(String)
    }

    /// The first sample that stands for the header.
    private static let headerSample = 4_294_967_295

    public var command: Command
    /// What an answer is to repeat.
    public var id: Int

    /// - Returns: nil when the line is no JSON object with a command, or asks for a slot or a sample that can't
    ///   be.
    public init?(_ line: some Collection<UInt8>) {
        guard let object = FeedObject(line), let name = object[text: "cmd"] else { return nil }
        id = object[integer: "id"] ?? 0
        switch name {
        case "ping": command = .ping
        case "status": command = .status
        case "gw_info": command = .gatewayInfo
        case "fc_info": command = .flightComputerInfo
        case "rockets": command = .rockets
        case "flash_list": command = .flashList
        case "flash_read":
            guard let read = Self.flashRead(object) else { return nil }
            command = read
        case "flash_delete", "arm", "disarm", "reset", "download", "set_rocket_name", "orientation_mode":
            command = .refused
        default: command = name.hasPrefix("wifi_") ? .refused : .unknown(String(name.prefix(32)))
        }
    }

    /// What is missing is 0. Anything but a whole number from 0 on is refused: it must not read another place.
    private static func flashRead(_ object: FeedObject) -> Command? {
        var numbers: [String: Int] = [:]
        for key in ["slot", "sample", "start"] where object.contains(key) {
            guard let number = object[integer: key], number >= 0 else { return nil }
            numbers[key] = number
        }
        let sample = numbers["sample"] ?? numbers["start"] ?? 0
        let isHeader = object[flag: "header"] ?? (sample == headerSample)
        return .flashRead(slot: numbers["slot"] ?? 0, sample: isHeader ? nil : sample)
    }
}
