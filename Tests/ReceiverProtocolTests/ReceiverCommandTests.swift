import ReceiverProtocol
import Testing

@Suite struct ReceiverCommandTests {
    @Test(
        arguments: [
            (403.5, .rs41, "o{f=403.50/tipo=1}o"), (404.123, .m20, "o{f=404.123/tipo=2}o"),
            (400, .m10, "o{f=400.00/tipo=3}o"), (405.05, .pilot, "o{f=405.05/tipo=4}o"),
            (406, .dfm, "o{f=406.00/tipo=5}o"), (400.001, .rd41, "o{f=400.001/tipo=6}o"),
        ] as [(Double, SondeType, String)])
    func tune(_ frequency: Double, _ type: SondeType, _ expected: String) throws {
        let tuning = try #require(Tuning(frequencyMHz: frequency, sondeType: type))
        #expect(texts(.tune(tuning), 128) == [expected])
    }

    @Test(arguments: [SondeType.c50, .imet4, .other("X")])
    func typesWithoutTipo(_ type: SondeType) {
        #expect(Tuning(frequencyMHz: 403, sondeType: type) == nil)
    }

    @Test func muteAndRequest() {
        #expect(texts(.mute(true), 20) == ["o{mute=1}o"])
        #expect(texts(.mute(false), 20) == ["o{mute=0}o"])
        #expect(texts(.requestConfiguration, 20) == ["o{?}o"])
    }

    /// Lowest and highest accepted value, and whether the key restarts the receiver or can cut the gateway off.
    @Test(arguments: [
        ("lcd", 0, 1, true, false), ("lcdOn", 0, 1, true, false), ("oled_sda", 0, 39, true, true),
        ("oled_scl", 0, 39, true, true), ("oled_rst", 0, 39, true, true), ("led_pout", 0, 39, true, true),
        ("buz_pin", 0, 39, true, true), ("blu", 0, 1, true, false), ("baud", 0, 5, true, true),
        ("com", 0, 1, true, true), ("m20.rxbw", 0, 19, false, false), ("m10.rxbw", 0, 19, false, false),
        ("pilot.rxbw", 0, 19, false, false), ("dfm.rxbw", 0, 19, false, false), ("rs41.rxbw", 0, 19, false, false),
        ("aprsName", 0, 1, false, false), ("freqofs", -10_000, 10_000, false, false), ("battery", 0, 39, true, true),
        ("vBatMin", 2000, 4500, false, false), ("vBatMax", 3000, 5000, false, false), ("vBatType", 0, 2, false, false),
    ])
    func settings(_ key: String, _ low: Int, _ high: Int, _ reboots: Bool, _ isDangerous: Bool) throws {
        let setting = try #require(ReceiverSetting(rawValue: key))
        #expect(setting.range == low...high)
        #expect(setting.reboots == reboots)
        #expect(setting.isDangerous(.integer(high)) == isDangerous)
        #expect(SettingChange(setting, .integer(low)) != nil)
        #expect(SettingChange(setting, .integer(high)) != nil)
        #expect(SettingChange(setting, .integer(low - 1)) == nil)
        #expect(SettingChange(setting, .integer(high + 1)) == nil)
        #expect(SettingChange(setting, .text("1")) == nil)
    }

    @Test func switchingBluetoothOffIsDangerous() {
        #expect(ReceiverSetting.bluetooth.isDangerous(.integer(0)))
        #expect(ReceiverSetting.allCases.count == 22)
    }

    @Test(arguments: [
        ("HB9XYZ", true), ("HB9XYZ/P", true), ("", true), ("A-1", true), ("HB9XYZ/PM", false), ("hb9", false),
        ("A{B", false), ("A=B", false), ("A}o", false), ("A\n", false), ("É", false), ("A B", false),
    ])
    func callsigns(_ text: String, _ isAccepted: Bool) {
        #expect((SettingChange(.callsign, .text(text)) != nil) == isAccepted)
    }

    @Test func atMostFourKeysAndNeverLongerThanTheLinkAllows() throws {
        let keys: [ReceiverSetting] = [
            .rs41Bandwidth, .m20Bandwidth, .m10Bandwidth, .pilotBandwidth, .dfmBandwidth, .frequencyOffset,
        ]
        let changes = try keys.map { try #require(SettingChange($0, .integer(4))) }
        #expect(
            texts(.settings(changes), 128) == [
                "o{rs41.rxbw=4/m20.rxbw=4/m10.rxbw=4/pilot.rxbw=4}o", "o{dfm.rxbw=4/freqofs=4}o",
            ])
        let narrow = texts(.settings(changes), 20)
        #expect(narrow.count == 6)
        #expect(narrow.allSatisfy { $0.utf8.count <= 20 })
    }

    private func texts(_ command: ReceiverCommand, _ maximumLength: Int) -> [String] {
        command.writes(maximumLength: maximumLength).map { String(decoding: $0, as: UTF8.self) }
    }
}
