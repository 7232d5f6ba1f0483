extension [UInt8] {
    /// A decimal with exactly so many digits behind the point, whatever the locale; 0 for what is not finite or beyond
    /// 18 digits.
    public mutating func append(decimal value: Double, decimals: Int) {
        append(units: Self.units(of: value, decimals: decimals) ?? 0, decimals: decimals)
    }

    /// The value in units of its last digit; nil for what is not finite or beyond 18 digits.
    public static func units(of value: Double, decimals: Int) -> Int? {
        Int(exactly: (value * Double(scale(decimals))).rounded())
    }

    public mutating func append(units: Int, decimals: Int) {
        let scale = Self.scale(decimals)
        if units < 0 { append(UInt8(ascii: "-")) }
        append(digits: units.magnitude / scale)
        guard decimals > 0 else { return }
        append(UInt8(ascii: "."))
        append(digits: units.magnitude % scale, width: decimals)
    }

    /// - Parameter width: digits at least; zeros in front.
    public mutating func append(digits value: UInt, width: Int = 1) {
        let start = count
        var rest = value
        repeat {
            append(UInt8(ascii: "0") + UInt8(rest % 10))
            rest /= 10
        } while rest > 0 || count - start < width
        // In place: a slice that is reversed copies the whole text before it.
        var (front, back) = (start, count - 1)
        while front < back {
            swapAt(front, back)
            (front, back) = (front + 1, back - 1)
        }
    }

    private static func scale(_ decimals: Int) -> UInt {
        (0..<decimals).reduce(1) { power, _ in power * 10 }
    }
}
