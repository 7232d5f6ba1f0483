/// The text that these receivers' chip (an ESP32) writes to its serial line when it starts. Between frames it says that the
/// receiver has restarted:
///
/// ```
/// Brownout detector was triggered
/// ets Jun  8 2016 00:22:57
/// rst:0xc (SW_CPU_RESET),boot:0x13 (SPI_FAST_FLASH_BOOT)
/// ```
public enum BootText {
    /// The reset's reason, from each model's ROM; the first model's greeting; and the warning of a supply that is too weak.
    private static let marks = ["rst:0x", "ets Jun ", "ets Jul ", "Brownout detector"].map { Array($0.utf8) }

    /// The longest mark, in bytes. Bytes that arrive in pieces must overlap by one less.
    public static let longestMark = marks.map(\.count).max() ?? 0

    /// Whether the bytes contain such a text.
    public static func isIn(_ bytes: some RandomAccessCollection<UInt8>) -> Bool {
        bytes.indices.contains { start in
            let rest = bytes[start...]
            return marks.contains { mark in mark.first == rest.first && rest.starts(with: mark) }
        }
    }
}
