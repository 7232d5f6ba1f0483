/// Decodes one run of bytes. Each layout is given at its function. The fixtures name the layouts' sources.
public enum FrameParser {
    /// - Parameter bytes: a whole frame from its type digit to its final `o`, without line end.
    /// - Throws: the first reason why the bytes are no frame. Type, frequency and RSSI must be readable. Any other field
    ///   that is unreadable or implausible becomes nil: the frame still proves that the receiver lives.
    public static func parse(_ bytes: Span<UInt8>) throws(FrameRejection) -> Frame {
        let layout = try FrameLayout(of: bytes)
        var fields = Fields(bytes)
        fields.skip(1)
        let frame: Frame =
            switch layout {
            case .noSonde: noSonde(&fields)
            case .nameOnly: nameOnly(&fields)
            case .telemetryFirmware2: telemetry(&fields, hasVerticalSpeed: false)
            case .telemetryFirmware3: telemetry(&fields, hasVerticalSpeed: true)
            case .configuration(let callsignTokens, let isUSB):
                configuration(&fields, callsignTokens: callsignTokens, isUSB: isUSB)
            case .rawPacket: .rawPacket
            }
        if let rejection = fields.rejection { throw rejection }
        return frame
    }

    /// `0/TYPE/FREQ/RSSI/BAT%/BATMV/MUTE/VER/o`
    private static func noSonde(_ fields: inout Fields) -> Frame {
        let type = sondeType(&fields)
        let frequency = frequency(&fields)
        let rssi = rssi(&fields)
        let battery = battery(&fields)
        let batteryMillivolts = fields.integer(in: batteryMillivolts)
        return .radio(
            RadioFrame(
                kind: .noSonde, sondeType: type, frequencyMHz: frequency, name: nil, rssiDBm: rssi,
                battery: battery, batteryMillivolts: batteryMillivolts, afcHz: nil, burstKiller: nil,
                isMuted: fields.flag(), firmware: firmware(&fields), position: nil))
    }

    /// `2/TYPE/FREQ/NAME/RSSI/BAT%/AFC/BATMV/MUTE/VER/o`
    private static func nameOnly(_ fields: inout Fields) -> Frame {
        let type = sondeType(&fields)
        let frequency = frequency(&fields)
        let name = name(&fields)
        let rssi = rssi(&fields)
        let battery = battery(&fields)
        let afc = fields.integer(in: afcHz)
        return .radio(
            RadioFrame(
                kind: .nameOnly, sondeType: type, frequencyMHz: frequency, name: name, rssiDBm: rssi,
                battery: battery, batteryMillivolts: fields.integer(in: batteryMillivolts), afcHz: afc,
                burstKiller: nil, isMuted: fields.flag(), firmware: firmware(&fields), position: nil))
    }

    /// `1/TYPE/FREQ/NAME/LAT/LON/ALT/HVEL/[VVEL/]RSSI/BAT%/AFC/BK/BKTIME/BATMV/MUTE/R1/R2/R3/VER/o`
    private static func telemetry(_ fields: inout Fields, hasVerticalSpeed: Bool) -> Frame {
        let type = sondeType(&fields)
        let frequency = frequency(&fields)
        let name = name(&fields)
        let (latitude, longitude, altitude) = (fields.number(), fields.number(), fields.number())
        let (horizontal, vertical) = (fields.number(), hasVerticalSpeed ? fields.number() : nil)
        let rssi = rssi(&fields)
        let battery = battery(&fields)
        let afc = fields.integer(in: afcHz)
        let burstKiller = burstKiller(&fields)
        let batteryMillivolts = fields.integer(in: batteryMillivolts)
        let isMuted = fields.flag()
        fields.skip(3)
        let firmware = firmware(&fields)
        let unit = speedUnit(type, firmware: firmware)
        var position = PositionReading.implausible(.unreadable)
        if let latitude, let longitude, let altitude {
            position =
                Position(
                    latitude: latitude, longitude: longitude, altitudeMetres: altitude,
                    horizontalSpeed: horizontal.map { $0 * unit }, verticalSpeed: vertical
                ).checked
        }
        return .radio(
            RadioFrame(
                kind: .telemetry, sondeType: type, frequencyMHz: frequency, name: name, rssiDBm: rssi,
                battery: battery, batteryMillivolts: batteryMillivolts, afcHz: afc,
                burstKiller: burstKiller, isMuted: isMuted, firmware: firmware, position: position))
    }

    /// `3/TYPE/FREQ/`, the settings of ``ReceiverSetting/always``, `VER/`, over USB those of
    /// ``ReceiverSetting/usbOnly``, `o`.
    private static func configuration(_ fields: inout Fields, callsignTokens: Int, isUSB: Bool) -> Frame {
        var configuration = ReceiverConfiguration(sondeType: sondeType(&fields), frequencyMHz: frequency(&fields))
        for setting in ReceiverSetting.always {
            configuration[setting] =
                setting == .callsign
                ? .text(fields.string(fields: callsignTokens))
                : fields.integer(in: setting.plausible).map { .integer($0) }
        }
        configuration.firmware = firmware(&fields)
        for setting in isUSB ? ReceiverSetting.usbOnly : [] {
            configuration[setting] = fields.integer(in: setting.plausible).map { .integer($0) }
        }
        return .configuration(configuration)
    }
}

/// The fields that several layouts share.
extension FrameParser {
    private static let batteryMillivolts = 2500...5000
    private static let afcHz = -100_000...100_000
    /// The tuning range of the receiver's radio chip, MHz.
    private static let chipMHz = 137.2...524.8

    @inline(__always)
    private static func sondeType(_ fields: inout Fields) -> SondeType { SondeType(name: fields.requiredName()) }

    @inline(__always)
    private static func frequency(_ fields: inout Fields) -> Double? {
        fields.requiredNumber().flatMap { chipMHz.contains($0) ? $0 : nil }
    }

    @inline(__always)
    private static func name(_ fields: inout Fields) -> String? {
        let name = fields.name()
        switch name?.utf8.first {
        case nil, UInt8(ascii: "?"): return nil
        case UInt8(ascii: "N"): return name == "No data" ? nil : name
        default: return name
        }
    }

    /// dBm. The receiver prints the magnitude of a negative value; some print the negative value itself.
    @inline(__always)
    private static func rssi(_ fields: inout Fields) -> Double? {
        guard let value = fields.requiredNumber(), abs(value) <= 200 else { return nil }
        return value > 0 ? -value : value
    }

    /// The firmware computes (voltage - empty) * 100 / (full - empty) without a limit, so a full battery has more than
    /// 100.
    @inline(__always)
    private static func battery(_ fields: inout Fields) -> BatteryReading? {
        fields.integer(in: 0...120).map { BatteryReading(percent: min($0, 100), isClamped: $0 > 100) }
    }

    @inline(__always)
    private static func firmware(_ fields: inout Fields) -> String? {
        guard let text = fields.name(), (1...16).contains(text.utf8.count) else { return nil }
        return text
    }

    @inline(__always)
    private static func burstKiller(_ fields: inout Fields) -> BurstKiller {
        let isSet = fields.flag() ?? false
        let left = fields.integer(in: 1...86_400).flatMap(BurstKiller.secondsLeft)
        return BurstKiller(isActive: isSet || left != nil, secondsLeft: left)
    }

    /// The factor from HVEL to m/s. HVEL is in km/h, but some firmware sends m/s for some types.
    @inline(__always)
    private static func speedUnit(_ type: SondeType, firmware: String?) -> Double {
        type.oldFirmwareSendsMetresPerSecond && Firmware.sendsMetresPerSecond(firmware) ? 1 : 1 / 3.6
    }
}

extension Position {
    /// The position, or the first reason why it is impossible.
    @inline(__always)
    var checked: PositionReading {
        if abs(latitude) > 90 { return .implausible(.latitude) }
        if abs(longitude) > 180 { return .implausible(.longitude) }
        if latitude == 0, longitude == 0 { return .implausible(.nullIsland) }
        if !(-500...60_000 ~= altitudeMetres) { return .implausible(.altitude) }
        if let horizontalSpeed, !(0...150 ~= horizontalSpeed) { return .implausible(.horizontalSpeed) }
        if let verticalSpeed, !PlausibleVerticalSpeed.contains(verticalSpeed, atMetres: altitudeMetres) {
            return .implausible(.verticalSpeed)
        }
        return .plausible(self)
    }
}
