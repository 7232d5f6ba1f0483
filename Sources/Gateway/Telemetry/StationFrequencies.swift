import ReceiverProtocol

/// The followed sonde's frequency by SondeHub's stations.
///
/// Stations disagree: one that is not calibrated reports 400.577 MHz for 400.600 MHz. The frequency that the sonde itself
/// names (`tx_frequency`) comes first. Otherwise it is the median of the stations heard lately.
struct StationFrequencies: Equatable, Sendable {
    /// A station counts for this long after its last frame.
    private static let lifetime = Duration.seconds(300)
    /// The most stations that are kept. Beyond that the one heard longest ago is dropped.
    private static let limit = 32

    private struct Reading: Equatable, Sendable {
        var frequencyMHz: Double
        var isNamedBySonde: Bool
        var at: MonotonicTime
    }

    private var serial: SondeSerial?
    private var readings: [String: Reading] = [:]

    var isEmpty: Bool { readings.isEmpty }

    /// Learns from the frames of one sonde. The frames of another sonde replace all readings.
    mutating func learn(_ record: SondeHubRecord, at now: MonotonicTime) {
        if record.serial != serial { (serial, readings) = (record.serial, [:]) }
        readings = readings.filter { now.duration(since: $0.value.at) < Self.lifetime }
        guard let frequency = record.frequencyMHz else { return }
        readings[record.station ?? ""] = Reading(
            frequencyMHz: frequency, isNamedBySonde: record.isFrequencyNamed, at: now)
        if readings.count > Self.limit, let oldest = readings.min(by: { $0.value.at < $1.value.at }) {
            readings[oldest.key] = nil
        }
    }

    /// The sonde's frequency, MHz; nil if no station has told one of this sonde.
    func frequencyMHz(of serial: SondeSerial?) -> Double? {
        guard serial == self.serial else { return nil }
        let named = readings.values.filter(\.isNamedBySonde)
        return Self.median((named.isEmpty ? Array(readings.values) : named).map(\.frequencyMHz))
    }

    /// Whether more than half of the stations report this frequency.
    func areMostly(on frequencyMHz: Double) -> Bool {
        let agreeing = readings.values.filter { RadioGrid.agree($0.frequencyMHz, frequencyMHz) }
        return agreeing.count * 2 > readings.count
    }

    /// Of two values in the middle, the one nearer to the grid counts: a mean of both would fit neither station.
    private static func median(_ values: [Double]) -> Double? {
        let sorted = values.sorted()
        guard let last = sorted.indices.last else { return nil }
        let (lower, upper) = (sorted[last / 2], sorted[sorted.count / 2])
        return RadioGrid.error(of: upper) < RadioGrid.error(of: lower) ? upper : lower
    }
}
