import Gateway
import ReceiverProtocol
import SondeHubProtocol

/// Any bytes as a prediction of Tawhiri or SondeHub, or as an error. The decoder must not crash, and must give no point
/// outside the Earth.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPredictions(_ data: UnsafePointer<UInt8>, _ size: Int) -> Int32 {
    let bytes = Array(UnsafeBufferPointer(start: data, count: size))
    if let prediction = try? TawhiriFormat.decode(bytes) { check(prediction) }
    guard let serial = SondeSerial(name: "V3240531", type: .rs41) else { return 0 }
    if let prediction = try? SondeHubPredictionFormat.decode(bytes, for: serial) { check(prediction) }
    if let error = ErrorObject(bytes) {
        precondition(!error.text.isEmpty && error.text.utf8.count <= 120, "a text that is none")
        precondition(error.text.utf8.allSatisfy { 0x20...0x7e ~= $0 }, "not printable")
    }
    return 0
}

private func check(_ prediction: OnlinePrediction) {
    precondition(prediction.landing == prediction.path.last, "the path ends elsewhere")
    precondition(prediction.path.count <= OnlinePrediction.limit, "too many points")
    for (point, next) in zip(prediction.path, prediction.path.dropFirst()) {
        precondition(point.time <= next.time, "back in time")
    }
    for point in prediction.path {
        precondition(abs(point.coordinate.latitude) <= 90 && abs(point.coordinate.longitude) <= 180, "elsewhere")
        precondition(-500...60_000 ~= point.altitudeMetres, "too high")
    }
}
