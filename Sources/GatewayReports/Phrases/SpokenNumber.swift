/// A number in a sentence, never negative: `12`, `3.4`, `404.005`
struct SpokenNumber: Equatable, Sendable {
    let thousandths: Int

    init(_ whole: Int) { thousandths = min(max(0, whole), Int.max / 1000) * 1000 }

    /// - Parameter step: the value is rounded to whole steps, thousandths.
    init(_ value: Double, step: Int = 1000) {
        let steps = Int(exactly: (abs(value) * 1000 / Double(step)).rounded()) ?? 0
        thousandths = min(steps, Int.max / 1000 / step) * step
    }

    /// Nil for a number with a fraction.
    var whole: Int? { thousandths % 1000 == 0 ? thousandths / 1000 : nil }

    /// - Parameter decimal: stands before the tenths.
    func text(_ decimal: String) -> String {
        if let whole { return "\(whole)" }
        var fraction = "\(1000 + thousandths % 1000)".dropFirst()
        while fraction.hasSuffix("0") { fraction.removeLast() }
        return "\(thousandths / 1000)\(decimal)\(fraction)"
    }
}
