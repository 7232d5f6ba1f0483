import BluetoothProtocol
import ReceiverProtocol

/// Any device nearby may send any bytes. The program must not crash, and must print no control characters to the
/// terminal.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzAdvertisements(_ data: UnsafePointer<UInt8>, _ size: Int) -> Int32 {
    let bytes = Array(UnsafeBufferPointer(start: data, count: size))
    let data = AdvertisingData(bytes)
    precondition(
        data.name.map { !$0.isEmpty && $0.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F } } ?? true)
    precondition(data.services.count <= bytes.count / 2)
    // The same bytes as the kernel delivers them.
    let length = [UInt8(truncatingIfNeeded: size), UInt8(truncatingIfNeeded: size >> 8)]
    let head: [UInt8] = [1, 2, 3, 4, 5, 6, 2, 0xC5, 0, 0, 0, 0]
    let total = head.count + 2 + size
    let packet =
        [0x12, 0, 0, 0, UInt8(truncatingIfNeeded: total), UInt8(truncatingIfNeeded: total >> 8)] + head + length + bytes
    guard case .deviceFound(_, let device)? = MgmtEvent(packet) else { preconditionFailure("not found") }
    precondition(device.data == data)
    var table = ScanTable(filter: nil)
    table.heard(device, at: .zero)
    precondition(table.lines(at: .zero).count == 2)
    _ = ReceiverFilter(names: ["MySondy"]).accepts(device)
    return 0
}
