import ReceiverProtocol
import Testing

@testable import Feeds
@testable import FlightMath

/// GDL 90 compared with its own document: the two worked examples byte for byte, and the limits of each field.
@Suite struct GDL90Tests {
    /// Removes the framing, and checks the checksum bit by bit instead of by table.
    private func unframed(_ frame: [UInt8]) throws -> [UInt8] {
        #expect(frame.first == 0x7E && frame.last == 0x7E)
        var bytes: [UInt8] = []
        var isEscaped = false
        for byte in frame.dropFirst().dropLast() {
            #expect(byte != 0x7E)
            if byte == 0x7D {
                isEscaped = true
            } else {
                bytes.append(isEscaped ? byte ^ 0x20 : byte)
                isEscaped = false
            }
        }
        let message = Array(bytes.dropLast(2))
        var crc: UInt16 = 0
        for byte in message {
            // Computes as the ICD's table does: each byte enters at the bottom and leaves after sixteen bits.
            var high = crc & 0xFF00
            for _ in 0..<8 { high = high & 0x8000 == 0 ? high << 1 : high << 1 ^ 0x1021 }
            crc = high ^ crc << 8 ^ UInt16(byte)
        }
        #expect(Array(bytes.suffix(2)) == [UInt8(truncatingIfNeeded: crc), UInt8(truncatingIfNeeded: crc >> 8)])
        return message
    }

    @Test func theHeartbeatOfTheICD() {
        let message = GDL90Message.heartbeat(status: 0x81, timeStatus: 0x41, secondsOfDay: 0xD0DB, counts: 0x0802)
        #expect(GDL90Frame.framed(message) == [UInt8](hex: "7e 00 81 41 db d0 08 02 b3 8b 7e"))
    }

    @Test func theTrafficReportOfTheICD() {
        var target = GDL90Target(
            address: 0xAB4549, coordinate: Coordinate(latitude: 44.90708, longitude: -122.99488), flags: 9, emitter: 1,
            callSign: "N825V")
        target.addressType = 0
        target.altitudeFeet = 5000
        (target.integrity, target.accuracy) = (10, 9)
        (target.knots, target.feetPerMinute, target.trackDegrees) = (123, 64, 45)
        #expect(
            target.message
                == [UInt8](
                    hex: "14 00 ab 45 49 1f ef 15 a8 89 78 0f 09 a9 07 b0 01 20 01 4e 38 32 35 56 20 20 20 00"))
    }

    /// Another decoder reads the same values.
    @Test func aSonde() throws {
        var target = GDL90Target(
            address: 0xD54321, coordinate: Coordinate(latitude: 46.82, longitude: 6.94), flags: 9, emitter: 10,
            callSign: "V4210150")
        target.altitudeFeet = 30_000 * 3.28084
        (target.knots, target.feetPerMinute, target.trackDegrees) = (30, 984, 90)
        #expect(
            GDL90Frame.framed(target.message)
                == [UInt8](
                    hex: """
                        7e 14 01 d5 43 21 21 4b 52 04 ef 63 f8 99 88 01 e0 0f 40 0a 56 34 32 31 30 31 35 30 00 ea 16 7e
                        """))
    }

    /// Flag and escape bytes at each position, the checksum included.
    @Test func escapesInEveryPosition() throws {
        for place in 0..<28 {
            for mark in [0x7D, 0x7E] as [UInt8] {
                var message = [UInt8](repeating: 0x11, count: 28)
                message[place] = mark
                #expect(try unframed(GDL90Frame.framed(message)) == message)
            }
        }
        #expect(try unframed(GDL90Frame.framed([UInt8](repeating: 0x7E, count: 28))).count == 28)
        // Searches for messages whose checksum contains a flag or escape byte.
        var (low, high) = (0, 0)
        for number in 0..<65_536 {
            let message = [UInt8(number & 255), UInt8(number >> 8), 1]
            let crc = GDL90Frame.checksum(of: message)
            if crc & 0xFF == 0x7E || crc & 0xFF == 0x7D { low += 1 }
            if crc >> 8 == 0x7E || crc >> 8 == 0x7D { high += 1 }
            #expect(try unframed(GDL90Frame.framed(message)) == message)
        }
        #expect(low > 100 && high > 100)
    }

    /// Metres -> the altitude's twelve bits.
    @Test(
        arguments: [
            (30_880, 0xFFC), (30_891, 0xFFD), (30_892, 0xFFE), (35_000, 0xFFE), (100_000, 0xFFE), (0, 0x028),
            (-304.8, 0), (-400, 0), (7.62, 0x029), (7.61, 0x028), (.infinity, 0), (.nan, 0),
        ] as [(Double, Int)])
    func altitudes(_ metres: Double, _ bits: Int) throws {
        var sonde = try #require(try GoldenFeed.named("ascending").feedSonde)
        sonde.altitudeMetres = metres
        var target = GDL90Target(address: 1, coordinate: sonde.coordinate, flags: 0, emitter: 10, callSign: "")
        target.altitudeFeet = metres / 0.3048
        let message = target.message
        #expect(Int(message[11]) << 4 | Int(message[12] >> 4) == bits)
    }

    @Test func unknownSpeedsHaveTheirCode() throws {
        let sonde = try #require(try GoldenFeed.named("without-speeds").feedSonde)
        let message = try #require(GDL90Message.traffic(sonde, highestMetres: nil))
        #expect(Array(message[14...16]) == [0xFF, 0xF8, 0x00])
        #expect(message[12] & 0xF == 8)
        var fast = sonde
        (fast.horizontalSpeed, fast.verticalSpeed, fast.courseDegrees) = (9999, -9999, 359.9)
        let clamped = try #require(GDL90Message.traffic(fast, highestMetres: nil))
        // 4094 kt, 32 640 ft/min down, north.
        #expect(Array(clamped[14...17]) == [0xFF, 0xEE, 0x02, 0x00])
    }

    @Test func onlyCurrentAndLowTrafficIsShown() throws {
        var sonde = try #require(try GoldenFeed.named("ascending").feedSonde)
        #expect(GDL90Message.traffic(sonde, highestMetres: 29_999) == nil)
        #expect(GDL90Message.traffic(sonde, highestMetres: 30_000) != nil)
        sonde.age = .seconds(60)
        #expect(GDL90Message.traffic(sonde, highestMetres: nil) != nil)
        sonde.age = .milliseconds(60_001)
        #expect(GDL90Message.traffic(sonde, highestMetres: nil) == nil)
        // An old position of SondeHub: marked as extrapolated.
        (sonde.age, sonde.source) = (.seconds(6), .sondehub)
        #expect(try #require(GDL90Message.traffic(sonde, highestMetres: nil))[12] & 0xF == 13)
        #expect(try #require(GDL90Message.traffic(sonde, highestMetres: nil))[18] == 10)
        // The sonde falls, whether or not the burst was observed.
        sonde.hasDescended = true
        #expect(try #require(GDL90Message.traffic(sonde, highestMetres: nil))[18] == 11)
        (sonde.hasDescended, sonde.burstAt) = (false, sonde.time)
        #expect(try #require(GDL90Message.traffic(sonde, highestMetres: nil))[18] == 11)
        (sonde.phase, sonde.source) = (.landed, .ble)
        #expect(try #require(GDL90Message.traffic(sonde, highestMetres: nil))[12] & 0xF == 1)
    }

    @Test(arguments: [("V4210150", 0xF9D87F, "V4210150"), ("023-2-01234", nil, "23201234"), ("1", nil, "1")])
    func names(_ name: String, _ address: UInt32?, _ callSign: String) throws {
        let serial = try #require(SondeSerial(name: name, type: .other("")))
        if let address { #expect(GDL90Message.address(of: serial) == address) }
        #expect(GDL90Message.address(of: serial) >> 20 == 0xF)
        #expect(GDL90Message.callSign(of: serial) == callSign)
    }

    @Test(
        arguments: [
            ("{\"App\":\"ForeFlight\",\"GDL90\":{\"port\":4000}}", 4000), ("{\"App\":\"x\",\"GDL90\":{\"port\":5}}", 5),
            ("{\"App\":\"ForeFlight\"}", 4000), ("{\"App\":\"x\",\"GDL90\":{\"port\":0}}", nil), ("{}", nil),
            ("x", nil),
            ("{\"App\":\"x\",\"GDL90\":{\"port\":1e9}}", nil),
        ] as [(String, Int?)])
    func announcements(_ text: String, _ port: Int?) {
        #expect(GDL90Message.announcedPort(in: Array(text.utf8)) == port)
    }

    /// The seconds of the day have seventeen bits.
    @Test func theLastHoursOfADay() {
        let noon = WallTime(millisecondsSince1970: 1_795_305_600_000)
        let evening = noon.advanced(byMilliseconds: 40_000_000)
        let at = { GDL90Message.heartbeat(at: $0, isClockSynced: true, hasPosition: false) }
        #expect(at(noon)[1] == 0x01)
        for time in [noon, evening] {
            let message = at(time)
            let seconds = Int(message[2] >> 7) << 16 | Int(message[4]) << 8 | Int(message[3])
            #expect(seconds == Int(time.millisecondsSince1970 / 1000 % 86_400))
        }
    }
}
