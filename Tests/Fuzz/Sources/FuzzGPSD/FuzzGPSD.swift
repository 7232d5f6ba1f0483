import FuzzSupport
import Gateway

/// Any bytes of whatever calls itself gpsd, in two different splits: no crash, the same fixes, and whatever they say,
/// the gateway tells of a car on this Earth or of none.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzGPSD(_ data: UnsafePointer<UInt8>, _ size: Int) -> Int32 {
    let bytes = Array(UnsafeBufferPointer(start: data, count: size))
    let messages = read(bytes, step: max(1, bytes.count))
    precondition(messages == read(bytes, step: 1 + size % 29), "the split matters")
    let fixes = messages.compactMap { if case .fix(let fix) = $0 { fix } else { nil } }
    checkCar(fixes)
    return 0
}

private func read(_ bytes: [UInt8], step: Int) -> [GPSDStream.Message] {
    var stream = GPSDStream()
    return stride(from: 0, to: bytes.count, by: step).flatMap {
        stream.append(Array(bytes[$0..<min($0 + step, bytes.count)]))
    }
}
