/// A request of the rocket app: one JSON object in a line.
public struct RocketRequest: Equatable, Sendable {
    /// The supported commands. Those that change the recorder or the rocket are refused.
    public enum Command: Equatable, Sendable {
        case ping, status, gatewayInfo, flightComputerInfo, rockets, flashList
        /// Asks for samples from this index on; nil asks for the header.
        case flashRead(slot: Int, sample: Int?)
        case refused
        case unknown(String)
    }

    /// This index asks for the header.
    private static let headerSample = 4_294_967_295

    public var command: Command
    /// The answer repeats this number.
    public var id: Int

    /// - Returns: nil if the line is not a JSON object with a command, or if the slot or sample is invalid.
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

    /// A missing number is 0. Anything but a whole number from 0 on is refused, so that a wrong request never reads
    /// another place.
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
