import Feeds
import Gateway

/// Any bytes from phones and other programs to the feeds, as lines and as a datagram. The feeds must not crash, and
/// must accept no line that is too long, no place outside the Earth and no invalid port.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzFeeds(_ data: UnsafePointer<UInt8>, _ size: Int) -> Int32 {
    let bytes = Array(UnsafeBufferPointer(start: data, count: size))
    let longest = 512
    var splitter = LineSplitter(longest: longest)
    // The first byte gives the length of the pieces, which must make no difference.
    var lines: [[UInt8]] = []
    let length = Int(bytes.first ?? 0) + 1
    for start in stride(from: 0, to: bytes.count, by: length) {
        lines += splitter.lines(in: bytes[start..<min(bytes.count, start + length)])
    }
    var whole = LineSplitter(longest: longest)
    precondition(whole.lines(in: bytes) == lines && whole.passedOver == splitter.passedOver, "pieces matter")
    for line in lines {
        precondition((1...longest).contains(line.count) && !line.contains(10), "no line")
        check(RDZLine.carFix(in: line))
        check(RocketRequest(line))
    }
    check(RDZLine.carFix(in: bytes))
    check(RocketRequest(bytes))
    check(HorusMessage.carFix(in: bytes))
    checkGDL90(bytes, step: length)
    if let port = GDL90Message.announcedPort(in: bytes) { precondition((1...65_535).contains(port), "no port") }
    return 0
}

/// The stream as it is, and as a message with the right checksum, which a fuzzer hardly finds.
private func checkGDL90(_ bytes: [UInt8], step: Int) {
    for bytes in [bytes, framed(bytes)] {
        var (whole, pieces) = (GDL90Stream(), GDL90Stream())
        let messages = whole.messages(in: bytes)
        let others = stride(from: 0, to: bytes.count, by: step).flatMap {
            pieces.messages(in: Array(bytes[$0..<min($0 + step, bytes.count)]))
        }
        precondition(messages == others, "pieces matter")
        for case .fix(let fix) in messages {
            // The judge of all fixes refuses a latitude above 90 degrees.
            precondition(abs(fix.coordinate.latitude) <= 180 && abs(fix.coordinate.longitude) <= 180, "elsewhere")
            precondition(fix.courseDegrees.map { 0..<360 ~= $0 } ?? true, "no course")
            precondition(fix.accuracyMetres.map { $0 > 0 } ?? true, "no accuracy")
            precondition(fix.altitudeMetres.map { abs($0) < 60_000 } ?? true, "no altitude")
        }
    }
}

private func framed(_ message: [UInt8]) -> [UInt8] {
    var crc: UInt16 = 0
    for byte in message {
        var high = crc & 0xFF00
        for _ in 0..<8 { high = high & 0x8000 == 0 ? high << 1 : high << 1 ^ 0x1021 }
        crc = high ^ crc << 8 ^ UInt16(byte)
    }
    let whole = message + [UInt8(truncatingIfNeeded: crc), UInt8(truncatingIfNeeded: crc >> 8)]
    return [0x7E] + whole.flatMap { $0 == 0x7E || $0 == 0x7D ? [0x7D, $0 ^ 0x20] : [$0] } + [0x7E]
}

private func check(_ fix: CarFix?) {
    guard let fix else { return }
    precondition(abs(fix.coordinate.latitude) <= 90 && abs(fix.coordinate.longitude) <= 180, "elsewhere")
    precondition(fix.speed.map { 0...150 ~= $0 } ?? true, "too fast for a car")
    precondition(fix.courseDegrees.map { 0..<360 ~= $0 } ?? true, "no course")
    precondition(fix.accuracyMetres.map { $0 > 0 } ?? true, "no accuracy")
}

private func check(_ request: RocketRequest?) {
    switch request?.command {
    case .flashRead(_, let sample?): precondition(sample >= 0, "before the first sample")
    case .unknown(let name): precondition(name.count <= 32, "too long to be repeated")
    case .flashRead(_, nil), .ping, .status, .gatewayInfo, .flightComputerInfo, .rockets, .flashList, .refused, nil:
        break
    }
}
