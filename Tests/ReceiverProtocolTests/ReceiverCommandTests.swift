import Testing

@testable import ReceiverProtocol

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

    @Test(arguments: [
        ("HB9XYZ", true), ("HB9XYZ/P", true), ("", true), ("A-1", true), ("HB9XYZ/PM", false), ("hb9", false),
        ("A{B", false), ("A=B", false), ("A}o", false), ("A\n", false), ("É", false), ("A B", false),
    ])
    func callsigns(_ text: String, _ isAccepted: Bool) {
        #expect((SettingChange(.callsign, .text(text)) != nil) == isAccepted)
    }

    @Test func atMostFourKeysAndNeverLongerThanTheLinkAllows() throws {
        let keys = ["rs41.rxbw", "m20.rxbw", "m10.rxbw", "pilot.rxbw", "dfm.rxbw", "freqofs"]
        let changes = keys.compactMap { ReceiverSetting(key: $0) }.compactMap { SettingChange($0, .integer(4)) }
        #expect(changes.count == keys.count)
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
