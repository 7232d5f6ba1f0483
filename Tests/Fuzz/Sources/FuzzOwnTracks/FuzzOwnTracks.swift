import FuzzSupport
import MQTTPublishing

/// Any bytes on a phone's topic, retained or not. The gateway must not crash, and must report a car on this Earth or no
/// car.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOwnTracks(_ data: UnsafePointer<UInt8>, _ size: Int) -> Int32 {
    let bytes = Array(UnsafeBufferPointer(start: data, count: size))
    for isRetained in [true, false] {
        guard case .success(let fix?) = OwnTracksFormat.decode(bytes, isRetained: isRetained) else { continue }
        precondition(bytes.count <= OwnTracksFormat.longest, "too long")
        // The same fix with the current time.
        var fresh = fix
        fresh.time = nil
        fresh.isRetained = false
        checkCar([fix, fresh])
    }
    return 0
}
