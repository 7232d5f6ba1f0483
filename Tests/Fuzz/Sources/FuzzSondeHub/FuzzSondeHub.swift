import Gateway
import GatewayReports
import SondeHubProtocol

/// Any bytes as SondeHub's answer, cut in two ways. The decoder must not crash, and must give the same records and the
/// same result.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzSondeHub(_ data: UnsafePointer<UInt8>, _ size: Int) -> Int32 {
    let bytes = Array(UnsafeBufferPointer(start: data, count: size))
    for shape in [RecordStream.Shape.newest, .track] {
        precondition(
            decode(bytes, shape, step: max(1, bytes.count)) == decode(bytes, shape, step: 1 + size % 29),
            "the split matters")
    }
    return 0
}

/// The result, with the records if the answer is complete.
private func decode(_ bytes: [UInt8], _ shape: RecordStream.Shape, step: Int) -> Outcome {
    var stream = RecordStream(shape)
    do throws(OnlineServiceError) {
        for start in stride(from: 0, to: bytes.count, by: step) {
            try stream.append(bytes[start..<min(start + step, bytes.count)])
        }
        try stream.end()
        return Outcome(records: stream.takeRecords(), skipped: stream.skipped)
    } catch {
        return Outcome(code: error.code)
    }
}

private struct Outcome: Equatable {
    var records: [SondeHubRecord] = []
    var skipped = 0
    var code: OnlineServiceError.Code?
}
