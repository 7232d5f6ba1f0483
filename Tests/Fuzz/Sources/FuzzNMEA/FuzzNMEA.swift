import FuzzSupport
import Gateway

/// Any bytes from a GPS receiver, cut in two ways, and again with right checksums, which a fuzzer hardly finds. The reader
/// must not crash and must give the same fixes. The gateway must report a car on this Earth or no car.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzNMEA(_ data: UnsafePointer<UInt8>, _ size: Int) -> Int32 {
    let bytes = Array(UnsafeBufferPointer(start: data, count: size))
    for bytes in [bytes, corrected(bytes)] {
        let messages = read(bytes, step: max(1, bytes.count))
        precondition(messages == read(bytes, step: 1 + size % 29), "the split matters")
        let fixes = messages.compactMap { if case .fix(let fix) = $0 { fix } else { nil } }
        for fix in fixes {
            let place = fix.coordinate
            precondition(abs(place.latitude) <= 90 && abs(place.longitude) <= 180, "elsewhere")
        }
        checkCar(fixes)
    }
    return 0
}

private func read(_ bytes: [UInt8], step: Int) -> [CarMessage] {
    var stream = NMEAStream()
    return stride(from: 0, to: bytes.count, by: step).flatMap {
        stream.messages(in: Array(bytes[$0..<min($0 + step, bytes.count)]))
    }
}

/// The bytes with the right two digits behind each asterisk.
private func corrected(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    var begin = 0
    for index in bytes.indices {
        if bytes[index] == UInt8(ascii: "$") { begin = index + 1 }
        guard bytes[index] == UInt8(ascii: "*"), index + 2 < bytes.count, begin <= index else { continue }
        let sum = bytes[begin..<index].reduce(0, ^)
        let digits = Array("0123456789ABCDEF".utf8)
        (bytes[index + 1], bytes[index + 2]) = (digits[Int(sum >> 4)], digits[Int(sum & 15)])
    }
    return bytes
}
