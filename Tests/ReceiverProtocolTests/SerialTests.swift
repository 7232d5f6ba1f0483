import ReceiverProtocol
import Testing

@Suite struct SerialTests {
    @Test(
        arguments: [
            (.rs41, "V4210150", "V4210150"), (.rd41, "V4210150", "V4210150"), (.m10, "011213333", "011-2-13333"),
            (.m20, "911242210", "911-2-42210"), (.m10, "011-2-13333", "011-2-13333"), (.m20, "12345", "12345"),
            (.dfm, "D17-23072942", "23072942"), (.dfm, "DFM-09-17041234", "17041234"), (.dfm, "23072942", "23072942"),
            (.dfm, "D17-", "D17-"), (.pilot, "P1234567", "P1234567"), (.other("MRZ"), "a-1", "a-1"),
            (.rs41, "v421 0150", "V4210150"), (.rs41, "V421-0150", "V4210150"), (.m10, "011-213333", "011-2-13333"),
            // Names of nine characters that are not nine digits.
            (.m10, "ME9A03859", "ME9A03859"), (.m20, "F15578191", "F15578191"), (.m20, "50120001X", "50120001X"),
            (.other(""), "ME9A03859", "ME9A03859"),
            // The type is unknown: a hunt, or a record without a type.
            (.other(""), "v421-0150", "V4210150"), (.other(""), "011213333", "011-2-13333"),
            (.other(""), "D17-23072942", "23072942"), (.other(""), "dfm-23072942", "23072942"),
            (.other(""), "23072942", "23072942"), (.other(""), "P1234567-2", "P1234567-2"),
            (.other(""), "LMS6 8123456", "LMS6 8123456"), (.other(""), "IMET54-55067143", "IMET54-55067143"),
        ] as [(SondeType, String, String)])
    func canonical(_ type: SondeType, _ name: String, _ expected: String) {
        #expect(SondeSerial(name: name, type: type)?.canonical == expected)
    }

    @Test(arguments: [
        ("011213333", "011-2-13333", true), ("v4210150", "V4210150", true), ("V4210150", "V4210151", false),
    ])
    func sameSonde(_ left: String, _ right: String, _ isSame: Bool) {
        #expect((SondeSerial(name: left, type: .m10) == SondeSerial(name: right, type: .m10)) == isSame)
    }

    /// Names of attackers: HTML, terminals, other scripts, quotes.
    @Test(arguments: ["<img src=x>", "V1&2", "a\"b", "o'1", "V1\u{1b}[2J", "V1\n", "Ü1", "V1\u{202e}", "V1\u{7f}"])
    func namesThatAreNotPlainText(_ name: String) {
        for type in SondeType.tunable + [.other(""), .other("X")] {
            #expect(SondeSerial(name: name, type: type) == nil)
        }
    }

    @Test func nothingButPunctuationIsNoSerial() {
        #expect(SondeSerial(name: "--", type: .rs41) == nil)
    }
}
