import FlightMath
import GatewayReports
import ReceiverProtocol

/// Finds the followed sonde among SondeHub's records under another name.
///
/// Receivers and SondeHub's decoders disagree on the middle digit of an M20, on the second serial of a DFM, and on APRS
/// names. M10 and M20 are one type here, because one decoder accepts both. A record of the same type and frequency that
/// lies where the receiver heard the sonde is the same sonde.
struct SondeLikeness: Equatable, Sendable {
    /// A record must be this near to the receiver's position of the same time, metres.
    private static let likeMetres = 2000.0
    /// The record may be this much farther away for each second between it and the position, metres.
    private static let metresPerSecond = 100.0
    /// After a longer time the record could belong to any sonde of the region.
    private static let longestGap = Duration.seconds(1800)

    var serial: SondeSerial
    /// SondeHub's name for the sonde; nil if it is not yet known.
    var otherName: SondeSerial?
    var sondeType: SondeType?
    /// The frequency on which the receiver heard the sonde, or listens for it; nil without a receiver.
    var frequencyMHz: Double?
    /// The sonde's track.
    var points: [TrackPoint]

    /// SondeHub's name for the sonde if an answer holds it only under another one; nil if the answer does not hold it.
    ///
    /// An answer keeps the old records of a name that no decoder uses any more. So a name that is fresher by more than
    /// ``PositionReport/freshLimit`` replaces the one before.
    func name(in records: [SondeHubRecord]) -> SondeSerial? {
        func newest(_ name: SondeSerial?) -> WallTime? { records.filter { $0.serial == name }.map(\.time).max() }
        func isStale(_ time: WallTime, beside other: WallTime?) -> Bool {
            other.map { $0.duration(since: time) > PositionReport.freshLimit } ?? false
        }
        let alike = records.compactMap { record in metres(to: record).map { (record: record, metres: $0) } }
        let freshest = alike.map(\.record.time).max()
        if let own = newest(serial), !isStale(own, beside: freshest), !isStale(own, beside: newest(otherName)) {
            return nil
        }
        if let otherName, let time = newest(otherName), !isStale(time, beside: freshest) { return otherName }
        let current = alike.filter { $0.record.serial != serial && !isStale($0.record.time, beside: freshest) }
        return current.min { $0.metres < $1.metres }?.record.serial
    }

    /// The distance between a record and the receiver's position that is nearest to it in time; nil if the record is of
    /// another sonde.
    private func metres(to record: SondeHubRecord) -> Double? {
        guard let frequencyMHz, let other = record.frequencyMHz, record.sondeType.isAlike(sondeType ?? .other("")),
            RadioGrid.agree(other, frequencyMHz)
        else { return nil }
        let gap = { (point: TrackPoint) in abs(record.time.duration(since: point.time).inSeconds) }
        let own = points.lazy.filter { $0.source == .ble }.min { gap($0) < gap($1) }
        guard let own, gap(own) <= Self.longestGap.inSeconds else { return nil }
        let metres = own.coordinate.distanceMetres(to: record.coordinate)
        return metres <= Self.likeMetres + Self.metresPerSecond * gap(own) ? metres : nil
    }
}
