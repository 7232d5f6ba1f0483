import ReceiverProtocol
import TestSupport
import Testing

@Suite struct FrameParserTests {
    @Test func capturedFirmware2() throws {
        let frame = try radio(
            "1/RS41/404.200/S2340007/51.95029/-2.54439/189.5/0.4/45.0/100/3967/0/30600/4391/-1/0/0/0/2.30/o")
        #expect(frame.name == "S2340007")
        #expect(frame.rssiDBm == -45)
        #expect(frame.afcHz == 3967)
        #expect(frame.batteryMillivolts == 4391)
        #expect(frame.isMuted == nil)
        #expect(frame.burstKiller == BurstKiller(isActive: false))
        guard case .plausible(let position) = frame.position else { throw FrameRejection.number }
        #expect(position.latitude == 51.95029)
        #expect(position.longitude == -2.54439)
        #expect(position.altitudeMetres == 189.5)
        #expect(abs((position.horizontalSpeed ?? 0) - 0.4 / 3.6) < 1e-12)
        #expect(position.verticalSpeed == nil)
    }

    @Test(
        arguments: [
            ("RS41", "2.30", 10 / 3.6), ("M10", "2.30", 10), ("M20", "2.30", 10), ("M10", "2.31", 10 / 3.6),
            ("M10", "2.40", 10 / 3.6), ("DFM", "2.30", 10 / 3.6),
        ] as [(String, String, Double)])
    func speedUnit(_ type: String, _ version: String, _ expected: Double) throws {
        let frame = try radio("1/\(type)/404.2/X1/51/2/189/10/45/100/0/0/0/4391/0/0/0/0/\(version)/o")
        guard case .plausible(let position) = frame.position else { throw FrameRejection.number }
        #expect(abs((position.horizontalSpeed ?? 0) - expected) < 1e-12)
    }

    /// BK, BKTIME -> active, seconds left.
    @Test(
        arguments: [
            ("0", "0", false, nil), ("0", "30600", false, nil), ("0", "1200", true, 1200), ("1", "1200", true, 1200),
            ("1", "30600", true, nil), ("1", "0", true, nil), ("0", "-1", false, nil),
        ] as [(String, String, Bool, Int?)])
    func burstKiller(_ flag: String, _ time: String, _ isActive: Bool, _ seconds: Int?) throws {
        let frame = try radio("1/RS41/404.2/X1/51/2/189/10/2/45/100/0/\(flag)/\(time)/4391/0/0/0/0/3.10/o")
        #expect(frame.burstKiller == BurstKiller(isActive: isActive, secondsLeft: seconds))
    }

    /// An implausible RSSI, BAT%, BATMV or MUTE becomes nil; the other fields stay.
    @Test(
        arguments: [
            ("117.5", -117.5), ("-117.5", -117.5), ("0", 0), ("201", nil),
        ] as [(String, Double?)])
    func rssi(_ text: String, _ expected: Double?) throws {
        #expect(try radio("0/RS41/404.2/\(text)/100/4260/0/3.10/o").rssiDBm == expected)
    }

    /// A full battery has more than 100 %, because the firmware does not limit its figure.
    @Test(
        arguments: [
            ("100", BatteryReading(percent: 100)), ("0", BatteryReading(percent: 0)), ("-1", nil),
            ("101", BatteryReading(percent: 100, isClamped: true)),
            ("120", BatteryReading(percent: 100, isClamped: true)), ("121", nil), ("55.5", nil),
        ] as [(String, BatteryReading?)])
    func batteryPercent(_ text: String, _ expected: BatteryReading?) throws {
        #expect(try radio("0/RS41/404.2/120/\(text)/4260/0/3.10/o").battery == expected)
    }

    @Test(arguments: [("2499", nil), ("2500", 2500), ("5000", 5000), ("5001", nil)] as [(String, Int?)])
    func batteryMillivolts(_ text: String, _ expected: Int?) throws {
        #expect(try radio("0/RS41/404.2/120/50/\(text)/0/3.10/o").batteryMillivolts == expected)
    }

    @Test(arguments: [("0", false), ("1", true), ("-1", nil), ("2", nil)] as [(String, Bool?)])
    func mute(_ text: String, _ expected: Bool?) throws {
        #expect(try radio("0/RS41/404.2/120/50/4260/\(text)/3.10/o").isMuted == expected)
    }

    @Test(
        arguments: [("No data", nil), ("", nil), ("?X", nil), ("V1", "V1"), ("<img>", nil), ("V&1", nil)]
            as [(String, String?)])
    func names(_ text: String, _ expected: String?) throws {
        #expect(try radio("2/RS41/403.5/\(text)/117.5/100/0/4274/0/3.10/o").name == expected)
    }

    /// LAT, LON, ALT, HVEL km/h, VVEL -> the fault.
    @Test(
        arguments: [
            ("90", "180", "60000", "540", "100", nil), ("-90", "-180", "-500", "0", "-100", nil),
            ("90.0001", "8", "500", "1", "1", .latitude), ("47", "-180.1", "500", "1", "1", .longitude),
            ("0", "-0.0", "500", "1", "1", .nullIsland), ("0", "8", "500", "1", "1", nil),
            ("47", "8", "60000.1", "1", "1", .altitude), ("47", "8", "-500.1", "1", "1", .altitude),
            ("47", "8", "500", "540.1", "1", .horizontalSpeed), ("47", "8", "500", "-1", "1", .horizontalSpeed),
            ("47", "8", "500", "1", "100.1", .verticalSpeed), ("47", "8", "500", "1", "-100.1", .verticalSpeed),
            // Without a parachute a sonde falls at 180 m/s where the air is thin.
            ("47", "8", "31000", "1", "-250", nil), ("47", "8", "31000", "1", "-250.1", .verticalSpeed),
            ("47", "8", "18500", "1", "-175", nil), ("47", "8", "18500", "1", "-175.1", .verticalSpeed),
            ("47", "8", "12000", "1", "-100.1", .verticalSpeed), ("47", "8", "31000", "1", "100.1", .verticalSpeed),
        ] as [(String, String, String, String, String, PositionFault?)])
    func plausibility(
        _ latitude: String, _ longitude: String, _ altitude: String, _ speed: String, _ climb: String,
        _ fault: PositionFault?
    ) throws {
        let frame = try radio(
            "1/RS41/403.5/V1/\(latitude)/\(longitude)/\(altitude)/\(speed)/\(climb)/117/100/0/0/0/4274/0/0/0/0/3.10/o")
        switch frame.position {
        case .plausible: #expect(fault == nil)
        case .implausible(let found): #expect(found == fault)
        case nil: Issue.record("no position")
        }
        #expect(frame.rssiDBm == -117)
    }

    @Test(
        arguments: [
            ("0/RS41/404.200/120.5/100/4260/-1/o", .tokenCount),
            ("1/RS41/404.200/o", .tokenCount),
            ("2/RS41/403.500/V1/1/117.5/100/0/4274/0/3.10/o", .tokenCount),
            ("3/RS41/404.600/21/o", .tokenCount),
            ("9/RS41/o", .unknownType), ("hello/o", .garbage), ("/o", .garbage), ("", .garbage),
            ("0/RS41/nan/120.5/100/4260/0/3.10/o", .number), ("0/RS41/404.2//100/4260/0/3.10/o", .number),
            ("0/RS41/404.2/x/100/4260/0/3.10/o", .number),
            (typeThree(frequency: "404,6"), .number),
            ("0//404.2/120/100/4260/0/3.10/o", .sondeType), ("0/<b>/404.2/120/100/4260/0/3.10/o", .sondeType),
            ("0/RS41/404.2/120/100/4260/0/3.10/x", .unfinished),
            ("0/RS41/404.2/120/100/4260/0/3\u{7f}/o", .notPrintable),
            ("0/RS\t41/404.2/120/100/4260/0/3/o", .notPrintable),
        ] as [(String, FrameRejection)])
    func rejections(_ text: String, _ reason: FrameRejection) {
        #expect(throws: reason) { try parse(text) }
    }

    @Test func tooManySlashesAreNoCrash() {
        #expect(throws: FrameRejection.sondeType) { try parse("3" + String(repeating: "/", count: 400) + "o") }
    }

    /// Before the sonde has a GPS fix the receiver prints `nan`. If such frames were rejected, the gateway would close
    /// the link every 15 s, and nobody could tune the receiver.
    @Test func aFrameWithoutNumbersIsAProofOfLife() throws {
        let frame = try radio("1/M20/404.000/No data/nan/nan/nan/nan/nan/117.5/nan/x/nan/nan/inf/1e0/0/0/0/3.10/o")
        var expected = RadioFrame(kind: .telemetry, sondeType: .m20)
        (expected.frequencyMHz, expected.rssiDBm, expected.firmware) = (404, -117.5, "3.10")
        (expected.burstKiller, expected.position) = (BurstKiller(isActive: false), .implausible(.unreadable))
        #expect(frame == expected)
    }

    /// One number that can't be read -> whether the frame has a position, with these speeds in m/s.
    @Test(
        arguments: [
            ("nan/8/500/36/2", nil), ("47/5,3/500/36/2", nil), ("47/8/1e3/36/2", nil),
            ("47/8/500/nan/2", (nil, 2)), ("47/8/500/36/inf", (10, nil)), ("47/8/500//", (nil, nil)),
        ] as [(String, (Double?, Double?)?)])
    func aPositionNeedsThreeNumbers(_ numbers: String, _ speeds: (Double?, Double?)?) throws {
        let frame = try radio("1/RS41/403.5/V1/\(numbers)/117/100/0/0/0/4274/0/0/0/0/3.10/o")
        guard let speeds else {
            #expect(frame.position == .implausible(.unreadable))
            return
        }
        guard case .plausible(let position) = frame.position else { throw FrameRejection.number }
        #expect((position.latitude, position.longitude, position.altitudeMetres) == (47, 8, 500))
        #expect((position.horizontalSpeed ?? -1, position.verticalSpeed ?? -1) == (speeds.0 ?? -1, speeds.1 ?? -1))
        #expect(frame.batteryMillivolts == 4274)
    }

    /// A setting that can't be read is unknown; the others count.
    @Test func aConfigurationWithAWordForANumber() throws {
        let text = typeThree(["oled_scl": "x", "vBatMin": "nan"])
        guard case .configuration(let configuration) = try parse(text) else { throw FrameRejection.garbage }
        let known = ReceiverSetting.always.filter { configuration[$0] != nil }
        #expect(known.count == ReceiverSetting.always.count - 2)
    }

    @Test(arguments: SondeType.tunable)
    func typesRoundTrip(_ type: SondeType) {
        #expect(SondeType(name: type.name) == type)
    }

    @Test func unknownTypeIsKept() throws {
        #expect(try radio("0/MRZ/404.2/120/100/4260/0/3.10/o").sondeType == .other("MRZ"))
        #expect(try radio("0/PIL/404.2/120/100/4260/0/3.10/o").sondeType == .pilot)
    }

    @Test func bandwidthTable() {
        let expected = [
            2.6, 3.1, 3.9, 5.2, 6.3, 7.8, 10.4, 12.5, 15.6, 20.8, 25.0, 31.3, 41.7, 50.0, 62.5, 83.3, 100.0, 125.0,
            166.7, 200.0,
        ]
        #expect(ReceiverSetting.bandwidthsKHz == expected)
    }

    private func parse(_ text: String) throws -> Frame {
        let bytes = Array(text.utf8)
        return try FrameParser.parse(bytes.span)
    }

    private func radio(_ text: String) throws -> RadioFrame {
        guard case .radio(let frame) = try parse(text) else { throw FrameRejection.garbage }
        return frame
    }
}
