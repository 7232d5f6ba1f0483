extension [UInt8] {
    /// Appends a number with exactly `decimals` digits after the point, in any locale. A number that is not finite or
    /// has more than 18 digits is written as 0.
    public mutating func append(decimal value: Double, decimals: Int) {
        append(units: Self.units(of: value, decimals: decimals) ?? 0, decimals: decimals)
    }

    /// The value in units of its last digit; nil if it is not finite or has more than 18 digits.
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

    /// - Parameter width: the least number of digits. Zeros fill the front.
    public mutating func append(digits value: UInt, width: Int = 1) {
        let start = count
        var rest = value
        repeat {
            append(UInt8(ascii: "0") + UInt8(rest % 10))
            rest /= 10
        } while rest > 0 || count - start < width
        // Reverse in place. To reverse a slice would copy the whole text.
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
