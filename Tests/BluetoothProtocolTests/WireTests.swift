import Testing

@testable import BluetoothProtocol

@Suite struct WireTests {
    @Test(arguments: [
        "AA:BB:CC:DD:EE:FF", "00:00:00:00:00:01",
    ])
    func addressesKeepTheirText(_ text: String) throws {
        let address = try #require(BluetoothAddress(text))
        #expect(address.description == text)
        #expect(BluetoothAddress(octets: address.octets) == address)
    }

    @Test(arguments: [
        "", "AA:BB:CC:DD:EE", "AA:BB:CC:DD:EE:FF:00", "AA:BB:CC:DD:EE:GG", "AABBCCDDEEFF", "A:BB:CC:DD:EE:FFF",
        "AA-BB-CC-DD-EE-FF", "+A:BB:CC:DD:EE:FF", "AA:BB:CC:DD:EE:FF ",
    ])
    func wrongAddressesAreRefused(_ text: String) {
        #expect(BluetoothAddress(text) == nil)
    }

    @Test func anAddressIsReversedOnTheAir() {
        #expect(BluetoothAddress("00:AA:01:02:03:04")?.octets == hex("04 03 02 01 AA 00"))
    }

    @Test func uuidsKeepTheirTextAndAreReversedOnTheAir() throws {
        let text = "53797269-614D-6972-6B6F-44616C6D6F6E"
        let uuid = try #require(BluetoothUUID(text))
        #expect(uuid.description == text)
        #expect(uuid.bytes.first == 0x6E)
        #expect(BluetoothUUID(0x2902).description == "00002902-0000-1000-8000-00805F9B34FB")
        #expect(BluetoothUUID(wire: hex("02 29")) == BluetoothUUID(0x2902))
        #expect(BluetoothUUID("53797269") == nil)
        #expect(BluetoothUUID(wire: hex("01 02 03")) == nil)
    }

    @Test func everyProfileIsInTheTable() {
        #expect(ReceiverProfile.all.map(\.name) == ["MySondyGo", "Nordic UART"])
    }

    @Test(
        arguments: [
            ("hci1", .index(AdapterIndex(rawValue: 1))), ("0", .index(AdapterIndex(rawValue: 0))),
            ("00:AA:01:02:03:04", BluetoothAddress("00:AA:01:02:03:04").map(AdapterChoice.address)),
            ("", nil), ("hci", nil), ("hciX", nil), ("65535", nil), ("-1", nil), ("usb0", nil),
        ] as [(String, AdapterChoice?)])
    func adapterChoices(_ text: String, _ expected: AdapterChoice?) {
        #expect(AdapterChoice(text) == expected)
    }

    /// Fields -> name, services.
    @Test(
        arguments: [
            ("", nil, []),
            ("02 01 06", nil, []),
            ("05 09 41 42 43 44", "ABCD", []),
            // The complete name wins over the shortened one, in either order.
            ("03 08 41 42 05 09 41 42 43 44", "ABCD", []), ("05 09 41 42 43 44 03 08 41 42", "ABCD", []),
            ("03 08 41 42", "AB", []),
            (
                "05 02 0D 18 0F 18", nil,
                ["0000180D-0000-1000-8000-00805F9B34FB", "0000180F-0000-1000-8000-00805F9B34FB"]
            ),
            (
                "11 07 6E6F6D6C6144 6F6B 7269 4D61 69727953 05 09 41 42 43 44", "ABCD",
                ["53797269-614D-6972-6B6F-44616C6D6F6E"]
            ),
            // Wrong lengths: zero ends the row, a field that is too long ends it, and an odd list keeps its whole
            // members.
            ("00 05 09 41 42 43 44", nil, []), ("FF 09 41 42", nil, []), ("05 09 41 42", nil, []),
            ("04 02 0D 18 0F", nil, ["0000180D-0000-1000-8000-00805F9B34FB"]), ("01 09", nil, []), ("01", nil, []),
            ("0A 07 01 02 03 04 05 06 07 08 09", nil, []),
            // Names that would disturb a terminal.
            ("05 09 1B 5B 32 4A", "[2J", []), ("03 09 FF 41", "\u{FFFD}A", []), ("04 09 41 00 42", "A", []),
        ] as [(String, String?, [String])])
    func advertisements(_ bytes: String, _ name: String?, _ services: [String]) {
        let data = AdvertisingData(hex(bytes))
        #expect(data.name == name)
        #expect(Set(data.services.map(\.description)) == Set(services))
    }
}

@Suite struct ReceiverFilterTests {
    static let mySondy = "11 07 6E6F6D6C6144 6F6B 7269 4D61 69727953"
    static let nordic = "11 07 9ECADC240EE5 A9E0 93F3 A3B5 0100406E"

    /// Configured names, advertisement -> whether the device is accepted.
    @Test(
        arguments: [
            (["MySondy"], "06 09 6D79534F4E", false),  // mySON
            (["MySondy"], "08 09 6D79536F6E6479", true),  // mySondy
            (["MySondy"], "0A 09 58 4D79536F6E6479 21", true),  // XMySondy!
            (["MySondy"], "05 09 41424344", false),
            (["abcd", "MySondy"], "05 09 41424344", true),
            // Without a name the service decides, but only if the filter accepts any MySondyGo.
            (["MySondy"], mySondy, true), (["MySondyGo-77"], mySondy, false), (["Stratos"], mySondy, false),
            (["MySondy"], nordic, false),
            // An owner may rename the board: its own service is enough. Another one's needs the name.
            (["MySondy"], mySondy + "05 09 41424344", true), (["MySondyGo-77"], mySondy + "05 09 41424344", false),
            (["MySondy"], nordic + "05 09 41424344", false),
            ([], mySondy, false), ([""], "05 09 41424344", false),
        ] as [([String], String, Bool)])
    func byName(_ names: [String], _ bytes: String, _ expected: Bool) throws {
        let address = try #require(BluetoothAddress("00:AA:01:02:03:04"))
        let device = FoundDevice(address: LEAddress(address, .public), rssiDBm: -60, data: AdvertisingData(hex(bytes)))
        #expect(ReceiverFilter(names: names).accepts(device) == expected)
        #expect(ReceiverFilter(names: [], address: address).accepts(device))
        #expect(!ReceiverFilter(names: names, address: BluetoothAddress("00:AA:01:02:03:05")).accepts(device))
    }
}
