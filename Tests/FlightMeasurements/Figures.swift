import Foundation

extension [Double] {
    /// The value below which this percentage of the values lies, interpolated linearly; NaN if there are no values.
    func percentile(_ percent: Double) -> Double {
        guard !isEmpty else { return .nan }
        let sorted = sorted()
        let place = percent / 100 * Double(count - 1)
        let lower = Int(place)
        let upper = Swift.min(count - 1, lower + 1)
        return sorted[lower] + (sorted[upper] - sorted[lower]) * (place - Double(lower))
    }
}

/// The great-circle distance in metres, independent of the gateway's own formula.
func sphereMetres(_ from: (latitude: Double, longitude: Double), _ to: (latitude: Double, longitude: Double)) -> Double
{
    let radians = Double.pi / 180
    let north = sin((to.latitude - from.latitude) * radians / 2)
    let east = sin((to.longitude - from.longitude) * radians / 2)
    let chord = north * north + cos(from.latitude * radians) * cos(to.latitude * radians) * east * east
    return 2 * 6_371_008.8 * asin(Swift.min(1, chord.squareRoot()))
}

func padded(_ text: String, _ width: Int) -> String {
    text.count >= width ? text : text + String(repeating: " ", count: width - text.count)
}

func decimal(_ value: Double, _ decimals: Int = 2) -> String { String(format: "%.\(decimals)f", value) }

/// Processor time of this thread in microseconds. Time of other programs does not count.
func cpuMicroseconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1000
}
