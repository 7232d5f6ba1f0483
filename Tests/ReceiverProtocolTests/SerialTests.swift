import ReceiverProtocol
import Testing

@Suite struct SerialTests {
    @Test(
        arguments: [
            (.rs41, "V4210150", "V4210150"), (.rd41, "V4210150", "V4210150"), (.m10, "011213333", "011-2-13333"),
            (.m20, "911242210", "911-2-42210"), (.m10, "011-2-13333", "011-2-13333"), (.m20, "12345", "12345"),
            (.dfm, "D17-23072942", "23072942"), (.dfm, "DFM-09-17041234", "17041234"), (.dfm, "23072942", "23072942"),
            (.dfm, "D17-", "D17-"), (.rs41, "v421-0150", "V4210150"), (.rs41, " V4210150 ", "V4210150"),
            (.rs41, "No number", "No number"), (.m10, "011 2 13333", "011-2-13333"),
            // As users and SondeHub name them, the type unknown.
            (.other(""), "v4210150", "V4210150"), (.other(""), "V421 0150", "V4210150"),
            (.other(""), "D17-23072942", "23072942"), (.other(""), "d17-23072942", "23072942"),
            (.other(""), "23072942", "23072942"), (.other(""), "011213333", "011-2-13333"),
            (.other(""), "011-2-13333", "011-2-13333"), (.other(""), "IMET-4F2A", "IMET-4F2A"),
            (.other(""), "DFM", "DFM"), (.pilot, "P1234567", "P1234567"), (.other("MRZ"), "a-1", "a-1"),
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

    @Test func nothingButPunctuationIsNoSerial() {
        #expect(SondeSerial(name: "--", type: .rs41) == nil)
    }
}
