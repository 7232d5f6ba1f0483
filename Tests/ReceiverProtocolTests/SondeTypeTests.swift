import Testing

@testable import ReceiverProtocol

/// The table of the types of radiosondes.
@Suite struct SondeTypeTests {
    @Test func everyTypeIsNamedOnce() {
        let rows = SondeType.rows
        for names in [rows.flatMap(\.words), rows.map(\.sondeHubName), rows.flatMap(\.codes)] {
            #expect(Set(names).count == names.count, "\(names)")
        }
        #expect(SondeType.tunable.compactMap(\.tuneCode) == Array(1...SondeType.tunable.count))
    }

    @Test(arguments: SondeType.rows.map(\.type)) func aTypeIsFoundByEachName(_ type: SondeType) throws {
        let row = try #require(type.row)
        for word in row.words { #expect(SondeType(name: word) == type) }
        for code in row.codes { #expect(SondeType(wmoCode: code) == type) }
        for name in row.otherNames { #expect(type.isAlike(.other(name + "X")), "\(name)") }
        #expect(SondeType(sondeHubName: row.sondeHubName) == type)
        #expect(
            SondeType(sondeHubName: row.sondeHubName + "09")
                == (row.hasSubtypes ? type : .other(row.sondeHubName + "09")))
        #expect(type.name == row.words[0] && type.isAlike(type) && type.isAlike(.other("")))
    }

    /// The receiver's form and SondeHub's are the same serial.
    @Test(arguments: [
        (SondeType.rs41, "V1111111"), (.m20, "111-1-11111"), (.m10, "111-1-11111"),
        (.pilot, "P1111111"),
        (.dfm, "11111111"), (.rd41, "V1111111"), (.c50, "C50-11111"), (.imet4, "IMET4-11111111"),
        (.other("X"), "X1111111"),
    ])
    func serials(_ type: SondeType, canonical: String) {
        let written = type.exampleSerial.replacing("#", with: "1")
        #expect(SondeSerial(name: written, type: type)?.canonical == canonical)
    }

    @Test func whatOnlySomeTypesDo() {
        #expect(SondeType.namesWithGPSTime == ["RS41", "M20", "iMet-4"])
        #expect(SondeType.namesWithTime == ["RS41", "M20", "DFM"])
        #expect(SondeType.rows.filter(\.oldFirmwareSendsMetresPerSecond).map(\.type) == [.m20, .m10])
        #expect(
            SondeType.usualBurstMetres(of: .rs41) == 33_000
                && SondeType.usualBurstMetres(of: nil) == 30_000)
        #expect([SondeType.dfm, .rs41, .other("X")].map(\.callSignPrefix) == ["DFM-", "", ""])
        #expect(SondeType(wmoCode: "99") == nil)
    }
}
