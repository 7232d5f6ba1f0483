import RealModule
public import ReceiverProtocol

/// A simulated MySondyGo: hears one simulated sonde, prints a frame each second, and answers each command.
///
/// It is pure: its owner passes the time in and gets bytes out.
public struct ReceiverSimulator: Sendable {
    /// One output of the receiver.
    public enum Output: Equatable, Sendable {
        case bytes([UInt8])
        /// The link breaks.
        case hangUp
    }

    public private(set) var flight: FlightModel
    /// The sonde's name as the receiver prints it.
    public let sondeName: String
    /// The receiver's settings, as a type 3 frame shows them.
    public private(set) var configuration: ReceiverConfiguration
    public private(set) var isMuted = false

    /// The options that the simulation was made with.
    public let options: SimulatorOptions
    private var random: SeededGenerator
    private var air: SignalModel
    /// Where the receiver is; nil at the launch place.
    private var place: CarModel.Place?
    private var commandBuffer: [UInt8] = []
    private var framesSinceTuned = 0
    private var frameNumber = 0
    private var answers: [[UInt8]] = []
    private var bootsUntil = Duration.zero
    private var hasDropped = false
    private let homeLatitude: Double
    private let homeLongitude: Double

    private static let commandLimit = 256
    /// The duration of a restart.
    private static let bootTime = Duration.seconds(2)

    public init(options: SimulatorOptions) {
        self.options = options
        random = SeededGenerator(seed: options.seed ^ 0x5EED)
        air = SignalModel(seed: options.seed)
        flight = FlightModel(
            seed: options.seed, launchDelay: options.launchDelay, burstAltitudeMetres: options.burstAltitudeMetres)
        homeLatitude = flight.latitude
        homeLongitude = flight.longitude
        sondeName = Self.name(of: options.sondeType, seed: options.seed)
        configuration = ReceiverConfiguration.delivered(
            sondeType: options.sondeType, frequencyKHz: options.frequencyKHz, firmware: options.firmware.rawValue)
    }

    /// The time since the simulation began.
    public var elapsed: Duration { flight.elapsed }

    /// Advances the simulation by one second, which is one frame.
    /// - Parameter place: where the receiver is, so that a sonde on the ground is heard near it only; nil at the launch
    ///   place, where it hears the sonde everywhere.
    public mutating func nextSecond(at place: CarModel.Place? = nil) -> [Output] {
        self.place = place
        flight.advance(by: .seconds(1))
        frameNumber += 1
        let now = flight.elapsed
        if isFaulty(.drop, now) {
            defer { hasDropped = true }
            return hasDropped ? [] : [.hangUp]
        }
        hasDropped = false
        guard now >= bootsUntil, !isFaulty(.silence, now) else { return [] }
        var frames = answers
        answers = []
        frames.append(Array(radioFrame().utf8))
        if isFaulty(.garbage, now), frameNumber % 3 == 0 { frames = [noise()] }
        return frames.flatMap { chunks(of: $0 + Array("\r\n".utf8), isSplit: isFaulty(.split, now)) }
    }

    /// Whether the link can be opened: false during the fault `drop`.
    public var canConnect: Bool { !isFaulty(.drop, flight.elapsed) }

    /// Adds bytes that the gateway wrote, in any pieces, and carries out the commands in them.
    public mutating func receive(_ bytes: [UInt8]) {
        for byte in bytes {
            commandBuffer.append(byte)
            if commandBuffer.count > Self.commandLimit { commandBuffer = [] }
            if commandBuffer.ends(with: "}o"), let start = commandBuffer.lastStart(of: "o{") {
                let body = commandBuffer[(start + 2)..<(commandBuffer.count - 2)]
                commandBuffer = []
                obey(String(decoding: body, as: UTF8.self))
            }
        }
    }

    private mutating func obey(_ body: String) {
        guard body != "?" else {
            answers.append(Array(configuration.text(isUSB: false).utf8))
            return
        }
        var frequency: Int?
        var type: SondeType?
        for (key, value) in Self.pairs(body) {
            switch key {
            case "f": frequency = Double(value).flatMap(Tuning.kilohertz)
            case "tipo": type = SondeType.tunable.first { $0.tuneCode == Int(value) }
            case "mute": isMuted = value == "1"
            default: set(key, to: value)
            }
        }
        if frequency != nil || type != nil { framesSinceTuned = 0 }
        if let frequency { configuration.frequencyMHz = Double(frequency) / 1000 }
        if let type { configuration.sondeType = type }
    }

    private mutating func set(_ key: String, to value: String) {
        guard let setting = ReceiverSetting(key: key) else { return }
        let wanted = setting.range == nil ? ReceiverSettingValue.text(value) : Int(value).map { .integer($0) }
        guard let wanted, setting.accepts(wanted) else { return }
        configuration[setting] = wanted
        if setting.restarts { bootsUntil = flight.elapsed + Self.bootTime }
    }

    /// Splits `a=1/b=2` into pairs. A piece without `=` belongs to the value before it: a callsign may hold a slash.
    private static func pairs(_ body: String) -> [(key: String, value: String)] {
        var pairs: [(key: String, value: String)] = []
        for piece in body.split(separator: "/", omittingEmptySubsequences: false) {
            if let equals = piece.firstIndex(of: "=") {
                pairs.append((String(piece[..<equals]), String(piece[piece.index(after: equals)...])))
            } else if let last = pairs.popLast() {
                pairs.append((last.key, last.value + "/" + piece))
            }
        }
        return pairs
    }

    private func isFaulty(_ kind: SimulatedFault.Kind, _ now: Duration) -> Bool {
        options.faults.contains { $0.kind == kind && now >= $0.start && now < $0.start + $0.duration }
    }

    private mutating func noise() -> [UInt8] {
        (0..<Int.random(in: 5...60, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
    }

    private mutating func chunks(of frame: [UInt8], isSplit: Bool) -> [Output] {
        guard isSplit else { return [.bytes(frame)] }
        var rest = frame[...]
        var chunks: [Output] = []
        while !rest.isEmpty {
            let length = Int.random(in: 1...20, using: &random)
            chunks.append(.bytes(Array(rest.prefix(length))))
            rest = rest.dropFirst(length)
        }
        return chunks
    }
}

extension ReceiverSimulator {
    private var hearsSonde: Bool {
        configuration.sondeType == options.sondeType
            && configuration.frequencyMHz.flatMap(Tuning.kilohertz) == options.frequencyKHz
    }

    /// A type 0 while the receiver is tuned to another frequency or type, or is deaf. After a tuning two frames of type
    /// 2, because the receiver decodes the name first; then type 1.
    private mutating func radioFrame() -> String {
        let version = options.firmware.rawValue
        let type = configuration.sondeType.name
        let frequency = fixed(configuration.frequencyMHz ?? 0, 3)
        let battery = max(0, 100 - Int(flight.elapsed / .seconds(600)))
        let millivolts = 3400 + battery * 8
        let mute = isMuted ? 1 : 0
        let power = hearsSonde && !isFaulty(.deaf, flight.elapsed) ? signal() : nil
        guard let power, place == nil || -power > SignalModel.weakestDBm else {
            return "0/\(type)/\(frequency)/\(fixed(118 + random.normal(1), 1))/\(battery)/\(millivolts)/\(mute)"
                + "/\(version)/o"
        }
        framesSinceTuned += 1
        let rssi = fixed(power, 1)
        let afc = Int(random.normal(40)) + 850
        guard framesSinceTuned > 2, !isFaulty(.placeless, flight.elapsed) else {
            return "2/\(type)/\(frequency)/\(sondeName)/\(rssi)/\(battery)/\(afc)/\(millivolts)/\(mute)/\(version)/o"
        }
        let speedUnit = options.firmware == .two && options.sondeType.oldFirmwareSendsMetresPerSecond ? 1 : 3.6
        let latitude = fixed(flight.latitude + random.normal(0.000_01), 5)
        let longitude = fixed(flight.longitude + random.normal(0.000_01), 5)
        let altitude = fixed(flight.altitudeMetres + random.normal(1.5), 1)
        let speed = fixed(max(0, (flight.horizontalSpeed + random.normal(0.1)) * speedUnit), 1)
        let climb = options.firmware == .three ? "/" + fixed(flight.verticalSpeed + random.normal(0.1), 1) : ""
        return "1/\(type)/\(frequency)/\(sondeName)/\(latitude)/\(longitude)/\(altitude)/\(speed)\(climb)/\(rssi)"
            + "/\(battery)/\(afc)/0/30600/\(millivolts)/\(mute)/0/0/0/\(version)/o"
    }

    /// The magnitude of the received power, which is negative, in dBm. It grows with the logarithm of the distance.
    private mutating func signal() -> Double {
        if let place {
            let sonde = CarModel.Place(latitude: flight.latitude, longitude: flight.longitude)
            let power = air.dBm(at: place, from: sonde, heightMetres: flight.heightMetres)
            return min(139.5, max(20, (-power * 2).rounded() / 2))
        }
        let north = (flight.latitude - homeLatitude) * 111.195
        let east = (flight.longitude - homeLongitude) * 76.1
        let kilometres = max(
            0.1, (north * north + east * east + Double.pow(flight.altitudeMetres / 1000, 2)).squareRoot())
        let decibel = 60 + 20 * Double.log10(kilometres) + random.normal(1)
        return min(139.5, max(20, (decibel * 2).rounded() / 2))
    }

    private static func name(of type: SondeType, seed: UInt64) -> String {
        var random = SeededGenerator(seed: seed ^ 0xA11)
        let digit = { String(Int.random(in: 0...9, using: &random)) }
        return type.exampleSerial.map { $0 == "#" ? digit() : String($0) }.joined()
    }
}

extension [UInt8] {
    fileprivate func ends(with text: String) -> Bool {
        suffix(text.utf8.count).elementsEqual(text.utf8)
    }

    fileprivate func lastStart(of text: String) -> Int? {
        let wanted = Array(text.utf8)
        return indices.reversed().first { self[$0...].starts(with: wanted) }
    }
}

/// A decimal with a fixed number of digits, as the firmware prints it.
func fixed(_ value: Double, _ decimals: Int) -> String {
    let scale = Double.pow(10, Double(decimals))
    let units = Int((value * scale).rounded())
    let magnitude = String(units.magnitude)
    let padded = String(repeating: "0", count: Swift.max(0, decimals + 1 - magnitude.count)) + magnitude
    let point = padded.index(padded.endIndex, offsetBy: -decimals)
    return (units < 0 ? "-" : "") + padded[..<point] + (decimals > 0 ? "." : "") + padded[point...]
}
