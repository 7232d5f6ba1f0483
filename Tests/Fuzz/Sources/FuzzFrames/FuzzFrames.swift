import ReceiverProtocol

/// Any bytes, cut in two ways. The Deframer must not crash, must give the same runs, and must keep its memory limit.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzFrames(_ data: UnsafePointer<UInt8>, _ size: Int) -> Int32 {
    let bytes = Array(UnsafeBufferPointer(start: data, count: size))
    var whole: [Deframer.Run] = []
    var pieces: [Deframer.Run] = []
    var deframer = Deframer()
    deframer.append(bytes.span, at: .zero) { run, bytes in
        precondition(bytes.count <= Deframer.maximumRun)
        whole.append(run)
    }
    deframer.reset { run, _ in whole.append(run) }
    let step = 1 + size % 23
    for start in stride(from: 0, to: bytes.count, by: step) {
        let piece = Array(bytes[start..<min(start + step, bytes.count)])
        deframer.append(piece.span, at: .zero) { run, _ in pieces.append(run) }
    }
    deframer.reset { run, _ in pieces.append(run) }
    precondition(whole == pieces, "the split matters")
    _ = try? FrameParser.parse(bytes.span)
    return 0
}
