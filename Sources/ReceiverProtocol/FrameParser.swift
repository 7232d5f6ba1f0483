/// Reads one deframed run of bytes. The layouts stand at the functions; where they come from is said at each fixture.
public enum FrameParser {
    /// - Parameter bytes: a whole frame from its type digit to its final `o`, without line end.
    /// - Throws: the first reason why it is no frame. An implausible field is nil and costs only itself.
    public static func parse(_ bytes: Span<UInt8>) throws(FrameRejection) -> Frame {
        let starts = try Tokens.Starts(of: bytes)
        var tokens = Tokens(bytes, starts: starts.span)
        switch try FrameLayout(tokens) {
        case .noSonde: return noSonde(&tokens)
        case .nameOnly: return nameOnly(&tokens)
        case .telemetryFirmware2: return telemetry(&tokens, hasVerticalSpeed: false)
        case .telemetryFirmware3: return telemetry(&tokens, hasVerticalSpeed: true)
        case .configuration(let callsignTokens, let isUSB):
            return .configuration(configuration(&tokens, callsignTokens: callsignTokens, isUSB: isUSB))
        case .rawPacket: return .rawPacket
        }
    }

    /// `0/TYPE/FREQ/RSSI/BAT%/BATMV/MUTE/VER/o`
    private static func noSonde(_ tokens: inout Tokens) -> Frame {
        .radio(RadioFrame(
            kind: .noSonde, sondeType: sondeType(tokens), frequencyMHz: frequency(&tokens), name: nil,
            rssiDBm: rssi(&tokens, 3), batteryPercent: tokens.integer(4, in: 0...100),
            batteryMillivolts: tokens.integer(5, in: batteryMillivolts), afcHz: nil, burstKiller: nil,
            isMuted: mute(&tokens, 6), firmware: firmware(tokens, 7), position: nil))
    }

    /// `2/TYPE/FREQ/NAME/RSSI/BAT%/AFC/BATMV/MUTE/VER/o`
    private static func nameOnly(_ tokens: inout Tokens) -> Frame {
        .radio(RadioFrame(
            kind: .nameOnly, sondeType: sondeType(tokens), frequencyMHz: frequency(&tokens), name: name(tokens),
            rssiDBm: rssi(&tokens, 4), batteryPercent: tokens.integer(5, in: 0...100),
            batteryMillivolts: tokens.integer(7, in: batteryMillivolts),
            afcHz: tokens.integer(6, in: afcHz), burstKiller: nil, isMuted: mute(&tokens, 8),
            firmware: firmware(tokens, 9), position: nil))
    }

    /// `1/TYPE/FREQ/NAME/LAT/LON/ALT/HVEL/[VVEL/]RSSI/BAT%/AFC/BK/BKTIME/BATMV/MUTE/R1/R2/R3/VER/o`
    private static func telemetry(
        _ tokens: inout Tokens, hasVerticalSpeed: Bool
    ) -> Frame {
        let next = hasVerticalSpeed ? 9 : 8
        let type = sondeType(tokens)
        let version = firmware(tokens, next + 10)
        let verticalSpeed = hasVerticalSpeed ? tokens.number(8) : nil
        let position = Position(
            latitude: tokens.number(4), longitude: tokens.number(5), altitudeMetres: tokens.number(6),
            horizontalSpeed: tokens.number(7) * speedUnit(type, firmware: version),
            verticalSpeed: verticalSpeed)
        return .radio(RadioFrame(
            kind: .telemetry, sondeType: type, frequencyMHz: frequency(&tokens), name: name(tokens),
            rssiDBm: rssi(&tokens, next), batteryPercent: tokens.integer(next + 1, in: 0...100),
            batteryMillivolts: tokens.integer(next + 5, in: batteryMillivolts),
            afcHz: tokens.integer(next + 2, in: afcHz), burstKiller: burstKiller(&tokens, next + 3),
            isMuted: mute(&tokens, next + 6), firmware: version, position: position.checked))
    }

    /// `3/TYPE/FREQ/SDA/SCL/RST/LED/RS41BW/M20BW/M10BW/PILOTBW/DFMBW/MYCALL/FREQOFS/BATPIN/BATMIN/BATMAX/BATTYPE/LCD/
    /// NAMETYPE/BUZPIN/VER/[LCDON/BLU/COM/BAUD/]o`
    private static func configuration(
        _ tokens: inout Tokens, callsignTokens: Int, isUSB: Bool
    ) -> ReceiverConfiguration {
        let pin = 0...39
        let bandwidth = 0...(ReceiverConfiguration.bandwidthsKHz.count - 1)
        let right = 12 + callsignTokens
        return ReceiverConfiguration(
            sondeType: sondeType(tokens), frequencyMHz: frequency(&tokens),
            oledSDA: tokens.integer(3, in: pin), oledSCL: tokens.integer(4, in: pin),
            oledReset: tokens.integer(5, in: pin), ledPin: tokens.integer(6, in: pin),
            rs41Bandwidth: tokens.integer(7, in: bandwidth), m20Bandwidth: tokens.integer(8, in: bandwidth),
            m10Bandwidth: tokens.integer(9, in: bandwidth), pilotBandwidth: tokens.integer(10, in: bandwidth),
            dfmBandwidth: tokens.integer(11, in: bandwidth), callsign: tokens.joined(12..<right),
            frequencyOffsetHz: tokens.integer(right, in: -100_000...100_000),
            batteryPin: tokens.integer(right + 1, in: pin),
            batteryMinimumMillivolts: tokens.integer(right + 2, in: 0...10_000),
            batteryMaximumMillivolts: tokens.integer(right + 3, in: 0...10_000),
            batteryType: tokens.integer(right + 4, in: 0...2), lcdType: tokens.integer(right + 5, in: 0...1),
            nameType: tokens.integer(right + 6, in: 0...1), buzzerPin: tokens.integer(right + 7, in: pin),
            firmware: firmware(tokens, right + 8),
            lcdOn: isUSB ? flag(&tokens, right + 9) : nil, bleOn: isUSB ? flag(&tokens, right + 10) : nil,
            serialPort: isUSB ? tokens.integer(right + 11, in: 0...1) : nil,
            serialBaud: isUSB ? tokens.integer(right + 12, in: 0...5) : nil)
    }
}

extension FrameParser {
    private static let batteryMillivolts = 2500...5000
    private static let afcHz = -100_000...100_000
    /// What the receiver's radio chip can be tuned to, MHz.
    private static let chipMHz = 137.2...524.8
    /// BKTIME's value while the burst killer idles, seconds.
    private static let burstKillerIdle = 30_600

    private static func sondeType(_ tokens: Tokens) -> SondeType {
        tokens.short(1).flatMap(SondeType.init) ?? SondeType(name: tokens.string(1))
    }

    private static func frequency(_ tokens: inout Tokens) -> Double? {
        let value = tokens.number(2)
        return chipMHz.contains(value) ? value : nil
    }

    private static func name(_ tokens: Tokens) -> String? {
        let name = tokens.string(3)
        return name.isEmpty || name == "No data" || name.utf8.first == UInt8(ascii: "?") ? nil : name
    }

    /// RSSI is printed as the magnitude of a negative dBm value; a negative number is dBm already.
    private static func rssi(_ tokens: inout Tokens, _ index: Int) -> Double? {
        let value = tokens.number(index)
        guard abs(value) <= 200 else { return nil }
        return value > 0 ? -value : value
    }

    private static func flag(_ tokens: inout Tokens, _ index: Int) -> Bool? {
        tokens.integer(index, in: 0...1).map { $0 == 1 }
    }

    /// `-1`, no buzzer, is nil.
    private static func mute(_ tokens: inout Tokens, _ index: Int) -> Bool? {
        flag(&tokens, index)
    }

    private static func firmware(_ tokens: Tokens, _ index: Int) -> String? {
        let text = tokens.string(index)
        return (1...16).contains(text.utf8.count) ? text : nil
    }

    private static func burstKiller(_ tokens: inout Tokens, _ index: Int) -> BurstKiller {
        let isSet = flag(&tokens, index) ?? false
        let seconds = tokens.integer(index + 1, in: 1...86_400)
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
