import Testing

@testable import ReceiverProtocol

/// What the gateway knows of the receiver's firmware.
@Suite struct FirmwareTests {
    @Test(
        arguments: [
            (
                "2.30",
                "firmware 2.30: it sends no vertical speed, so the gateway computes it; it sends the speed of M10 and M20 "
                    + "in m/s, which is converted; 3.10 is known to be newer", "3.10"
            ),
            (
                "2.40",
                "firmware 2.40: it sends no vertical speed, so the gateway computes it; 3.10 is known to be newer",
                "3.10"
            ),
            ("3.00", "firmware 3.00: 3.10 is known to be newer", "3.10"),
            ("3.10", "firmware 3.10: no newer one is known", nil),
            // Another receiver's version, or a newer one than the table has.
            ("9.99", "firmware 9.99: nothing is known of this version", nil),
        ] as [(String, String, String?)])
    func eachVersion(_ version: String, _ summary: String, _ newest: String?) {
        #expect(Firmware.summary(of: version) == summary)
        #expect(Firmware.newest(after: version) == newest)
    }

    @Test func theTableIsInOrder() {
        let versions = Firmware.rows.map(\.version)
        #expect(versions == versions.sorted() && Set(versions).count == versions.count)
        #expect(!Firmware.sendsMetresPerSecond(nil))
        let climb = ["2.30", "2.40", "3.00", "3.10", "9.99"].map(Firmware.sendsVerticalSpeed)
        #expect(climb == [false, false, true, true, nil])
    }

    @Test func framesNameIt() throws {
        func frame(_ text: String) throws -> Frame {
            let bytes = Array(text.utf8)
            return try FrameParser.parse(bytes.span)
        }
        #expect(try frame("0/RS41/403.500/117.5/100/4274/0/3.10/o").firmware == "3.10")
        #expect(
            try frame("3/RS41/404.600/21/22/16/25/1/7/7/7/6/MYCALL/0/35/2950/4180/1/0/0/0/3.10/o").firmware == "3.10")
        #expect(try frame("4/RS41/1/2/3/o").firmware == nil)
    }
}
