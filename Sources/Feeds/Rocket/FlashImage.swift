/// A growing buffer of little-endian bytes.
struct FlashImage {
    private(set) var bytes: [UInt8] = []

    mutating func add(_ value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func addZeros(_ count: Int) { bytes.append(contentsOf: repeatElement(0, count: count)) }
}

extension FixedWidthInteger {
    /// The nearest value that the type can hold; 0 for NaN and infinity.
    init(scaling value: Double, by factor: Double) {
        let scaled = (value * factor).rounded()
        guard scaled.isFinite else {
            self = 0
            return
        }
        self = Self(exactly: scaled) ?? (scaled < 0 ? .min : .max)
    }
}

extension [UInt8] {
    /// Upper case, as the app's own gateway prints it.
    var hex: String {
        let digits = Array("0123456789ABCDEF".utf8)
        return String(decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
