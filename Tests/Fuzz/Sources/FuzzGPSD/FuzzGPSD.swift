import FuzzSupport
import Gateway

/// Any bytes from a gpsd, cut in two ways. The reader must not crash and must give the same fixes. The gateway must
/// report a car on this Earth or no car.
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
