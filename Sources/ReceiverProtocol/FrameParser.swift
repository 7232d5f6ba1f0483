/// Reads one deframed run of bytes. The layouts stand at the functions; where they come from is said at each fixture.
public enum FrameParser {
    /// - Parameter bytes: a whole frame from its type digit to its final `o`, without line end.
    /// - Throws: the first reason why it is no frame. An implausible field is nil and costs only itself.
    public static func parse(_ bytes: Span<UInt8>) throws(FrameRejection) -> Frame {
        let tokens = try Tokens(bytes)
        switch try FrameLayout(tokens) {
        case .noSonde: return .radio(try noSonde(tokens))
        case .nameOnly: return .radio(try nameOnly(tokens))
        case .telemetryFirmware2: return .radio(try telemetry(tokens, hasVerticalSpeed: false))
        case .telemetryFirmware3: return .radio(try telemetry(tokens, hasVerticalSpeed: true))
        case .configuration(let callsignTokens, let isUSB):
            return .configuration(try configuration(tokens, callsignTokens: callsignTokens, isUSB: isUSB))
        case .rawPacket: return .rawPacket
        }
    }

    /// `0/TYPE/FREQ/RSSI/BAT%/BATMV/MUTE/VER/o`
    private static func noSonde(_ tokens: borrowing Tokens) throws(FrameRejection) -> RadioFrame {
        RadioFrame(
            kind: .noSonde, sondeType: sondeType(tokens), frequencyMHz: try frequency(tokens), name: nil,
            rssiDBm: try rssi(tokens, 3), batteryPercent: try tokens.integer(4, in: 0...100),
            batteryMillivolts: try tokens.integer(5, in: batteryMillivolts), afcHz: nil, burstKiller: nil,
            isMuted: try mute(tokens, 6), firmware: firmware(tokens, 7), position: nil)
    }

    /// `2/TYPE/FREQ/NAME/RSSI/BAT%/AFC/BATMV/MUTE/VER/o`
    private static func nameOnly(_ tokens: borrowing Tokens) throws(FrameRejection) -> RadioFrame {
        RadioFrame(
            kind: .nameOnly, sondeType: sondeType(tokens), frequencyMHz: try frequency(tokens), name: name(tokens),
            rssiDBm: try rssi(tokens, 4), batteryPercent: try tokens.integer(5, in: 0...100),
            batteryMillivolts: try tokens.integer(7, in: batteryMillivolts),
            afcHz: try tokens.integer(6, in: afcHz), burstKiller: nil, isMuted: try mute(tokens, 8),
            firmware: firmware(tokens, 9), position: nil)
    }

    /// `1/TYPE/FREQ/NAME/LAT/LON/ALT/HVEL/[VVEL/]RSSI/BAT%/AFC/BK/BKTIME/BATMV/MUTE/R1/R2/R3/VER/o`
    private static func telemetry(
        _ tokens: borrowing Tokens, hasVerticalSpeed: Bool
    ) throws(FrameRejection) -> RadioFrame {
        let next = hasVerticalSpeed ? 9 : 8
        let type = sondeType(tokens)
        let version = firmware(tokens, next + 10)
        let verticalSpeed = hasVerticalSpeed ? try tokens.number(8) : nil
        let position = Position(
            latitude: try tokens.number(4), longitude: try tokens.number(5), altitudeMetres: try tokens.number(6),
            horizontalSpeed: try tokens.number(7) * speedUnit(type, firmware: version),
            verticalSpeed: verticalSpeed)
        return RadioFrame(
            kind: .telemetry, sondeType: type, frequencyMHz: try frequency(tokens), name: name(tokens),
            rssiDBm: try rssi(tokens, next), batteryPercent: try tokens.integer(next + 1, in: 0...100),
            batteryMillivolts: try tokens.integer(next + 5, in: batteryMillivolts),
            afcHz: try tokens.integer(next + 2, in: afcHz), burstKiller: try burstKiller(tokens, next + 3),
            isMuted: try mute(tokens, next + 6), firmware: version, position: position.checked)
    }

    /// `3/TYPE/FREQ/SDA/SCL/RST/LED/RS41BW/M20BW/M10BW/PILOTBW/DFMBW/MYCALL/FREQOFS/BATPIN/BATMIN/BATMAX/BATTYPE/LCD/
    /// NAMETYPE/BUZPIN/VER/[LCDON/BLU/COM/BAUD/]o`
    private static func configuration(
        _ tokens: borrowing Tokens, callsignTokens: Int, isUSB: Bool
    ) throws(FrameRejection) -> ReceiverConfiguration {
        let pin = 0...39
        let bandwidth = 0...(ReceiverConfiguration.bandwidthsKHz.count - 1)
        let right = 12 + callsignTokens
        return ReceiverConfiguration(
            sondeType: sondeType(tokens), frequencyMHz: try frequency(tokens),
            oledSDA: try tokens.integer(3, in: pin), oledSCL: try tokens.integer(4, in: pin),
            oledReset: try tokens.integer(5, in: pin), ledPin: try tokens.integer(6, in: pin),
            rs41Bandwidth: try tokens.integer(7, in: bandwidth), m20Bandwidth: try tokens.integer(8, in: bandwidth),
            m10Bandwidth: try tokens.integer(9, in: bandwidth), pilotBandwidth: try tokens.integer(10, in: bandwidth),
            dfmBandwidth: try tokens.integer(11, in: bandwidth), callsign: tokens.joined(12..<right),
            frequencyOffsetHz: try tokens.integer(right, in: -100_000...100_000),
            batteryPin: try tokens.integer(right + 1, in: pin),
            batteryMinimumMillivolts: try tokens.integer(right + 2, in: 0...10_000),
            batteryMaximumMillivolts: try tokens.integer(right + 3, in: 0...10_000),
            batteryType: try tokens.integer(right + 4, in: 0...2), lcdType: try tokens.integer(right + 5, in: 0...1),
            nameType: try tokens.integer(right + 6, in: 0...1), buzzerPin: try tokens.integer(right + 7, in: pin),
            firmware: firmware(tokens, right + 8),
            lcdOn: isUSB ? try flag(tokens, right + 9) : nil, bleOn: isUSB ? try flag(tokens, right + 10) : nil,
            serialPort: isUSB ? try tokens.integer(right + 11, in: 0...1) : nil,
            serialBaud: isUSB ? try tokens.integer(right + 12, in: 0...5) : nil)
    }
}

extension FrameParser {
    private static let batteryMillivolts = 2500...5000
    private static let afcHz = -100_000...100_000
    /// What the receiver's radio chip can be tuned to, MHz.
    private static let chipMHz = 137.2...524.8
    /// BKTIME's value while the burst killer idles, seconds.
    private static let burstKillerIdle = 30_600

    private static func sondeType(_ tokens: borrowing Tokens) -> SondeType { SondeType(name: tokens.string(1)) }

    private static func frequency(_ tokens: borrowing Tokens) throws(FrameRejection) -> Double? {
        let value = try tokens.number(2)
        return chipMHz.contains(value) ? value : nil
    }

    private static func name(_ tokens: borrowing Tokens) -> String? {
        let name = tokens.string(3)
        return name.isEmpty || name == "No data" || name.utf8.first == UInt8(ascii: "?") ? nil : name
    }

    /// RSSI is printed as the magnitude of a negative dBm value; a negative number is dBm already.
    private static func rssi(_ tokens: borrowing Tokens, _ index: Int) throws(FrameRejection) -> Double? {
        let value = try tokens.number(index)
        guard abs(value) <= 200 else { return nil }
        return value > 0 ? -value : value
    }

    private static func flag(_ tokens: borrowing Tokens, _ index: Int) throws(FrameRejection) -> Bool? {
        try tokens.integer(index, in: 0...1).map { $0 == 1 }
    }

    /// `-1`, no buzzer, is nil.
    private static func mute(_ tokens: borrowing Tokens, _ index: Int) throws(FrameRejection) -> Bool? {
        try flag(tokens, index)
    }

    private static func firmware(_ tokens: borrowing Tokens, _ index: Int) -> String? {
        let text = tokens.string(index)
        return (1...16).contains(text.utf8.count) ? text : nil
    }

    private static func burstKiller(_ tokens: borrowing Tokens, _ index: Int) throws(FrameRejection) -> BurstKiller {
        let isSet = try flag(tokens, index) ?? false
        let seconds = try tokens.integer(index + 1, in: 1...86_400)
        let isCounting = seconds != nil && seconds != burstKillerIdle
        return BurstKiller(isActive: isSet || isCounting, secondsLeft: isCounting ? seconds : nil)
    }

    /// HVEL is km/h, but firmware 2.30 sends m/s for M10 and M20.
    private static func speedUnit(_ type: SondeType, firmware: String?) -> Double {
        firmware == "2.30" && (type == .m10 || type == .m20) ? 1 : 1 / 3.6
    }
}

extension Position {
    /// The position, or the first reason why no sonde can be there.
    var checked: PositionReading {
        if abs(latitude) > 90 { return .implausible(.latitude) }
        if abs(longitude) > 180 { return .implausible(.longitude) }
        if latitude == 0, longitude == 0 { return .implausible(.nullIsland) }
        if !(-500...60_000 ~= altitudeMetres) { return .implausible(.altitude) }
        if !(0...150 ~= horizontalSpeed) { return .implausible(.horizontalSpeed) }
        if let verticalSpeed, abs(verticalSpeed) > 100 { return .implausible(.verticalSpeed) }
        return .plausible(self)
    }
}
