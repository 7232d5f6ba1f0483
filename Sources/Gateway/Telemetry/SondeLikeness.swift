import FlightMath
import GatewayReports
import ReceiverProtocol

/// Finds the followed sonde among SondeHub's records under another name (specification 1.5).
///
/// Receivers and SondeHub's decoders disagree on the middle digit of an M20, on the second serial of a DFM, and on APRS
/// names. M10 and M20 are one type here, because one decoder accepts both. A record of the same type and frequency that
/// lies where the receiver heard the sonde is the same sonde.
struct SondeLikeness: Equatable, Sendable {
    /// The largest difference between the two frequencies, MHz, with a little more for rounding.
    private static let frequencyTolerance = 0.01 + 1e-6
    /// A record must be this near to the receiver's position of the same time, metres.
    private static let nearMetres = 2000.0
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
    /// ``SondeHubChoice/keepLimit`` replaces the one before.
    func name(in records: [SondeHubRecord]) -> SondeSerial? {
        func newest(_ name: SondeSerial?) -> WallTime? { records.filter { $0.serial == name }.map(\.time).max() }
        func isStale(_ time: WallTime, beside other: WallTime?) -> Bool {
            other.map { $0.duration(since: time) > SondeHubChoice.keepLimit } ?? false
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
            abs(other - frequencyMHz) <= Self.frequencyTolerance
        else { return nil }
        let gap = { (point: TrackPoint) in abs(record.time.duration(since: point.time).inSeconds) }
        let own = points.lazy.filter { $0.source == .ble }.min { gap($0) < gap($1) }
        guard let own, gap(own) <= Self.longestGap.inSeconds else { return nil }
        let metres = own.coordinate.distanceMetres(to: record.coordinate)
        return metres <= Self.nearMetres + Self.metresPerSecond * gap(own) ? metres : nil
    }
}

extension FollowedSonde {
    /// Further names are used, but not announced.
    private static let mostOtherNames = 8
    /// The receiver's height may differ from the expected one by this many metres, and by so many more for each second
    /// since SondeHub's frame; its vertical speed by this many m/s.
    private static let heightTolerance = (metres: 40.0, perSecond: 0.5)
    private static let climbTolerance = 5.0

    /// The number of calls for tracks.
    var calls: Int { news.gapFill.calls }

    mutating func timePassed(_ turn: inout Turn) {
        if let sondeHubSerial { news.gapFill.timePassed(sondeHubSerial, &turn) }
    }

    /// - Parameter listening: the frequency of a receiver that hears nothing. After a restart it is still the one on which
    ///   an earlier run heard the sonde.
    /// - Returns: nil while no sonde is followed.
    func likeness(listeningOnMHz listening: Double?) -> SondeLikeness? {
        serial.map {
            SondeLikeness(
                serial: $0, otherName: names.onSondeHub, sondeType: names.sondeType,
                frequencyMHz: heard.radio.heardOnMHz ?? listening,
                points: flight.track.points)
        }
    }

    /// Restores the sonde's second name, which an earlier run has found.
    mutating func recall(_ stored: StoredNames?) {
        guard let stored else { return }
        if stored.onSondeHub == serial { names.atReceiver = names.atReceiver ?? stored.atReceiver }
        if stored.atReceiver == serial { names.onSondeHub = names.onSondeHub ?? stored.onSondeHub }
    }

    /// SondeHub uses another name for this sonde: repeats the calls that used the old name.
    mutating func rename(onSondeHub name: SondeSerial, _ turn: inout Turn) {
        guard let serial, name != names.onSondeHub else { return }
        names.onSondeHub = name
        turn.store(StoredNames(atReceiver: serial, onSondeHub: name), as: .otherName)
        // Some decoders give a sonde two names in turn.
        guard names.usedOnSondeHub.count < Self.mostOtherNames, names.usedOnSondeHub.insert(name).inserted else {
            return
        }
        news.gapFill.restart(after: heard.positionTime(by: turn.clock), &turn)
        turn.note(
            .notice, "SondeHub has the followed sonde under another name",
            facts: ["serial": serial.canonical, "name": name.canonical])
    }

    /// Whether the receiver's frame is of this sonde, which only SondeHub has named until now.
    ///
    /// The rule of ``SondeLikeness`` alone would join two sondes that were launched one after the other. So either the
    /// names differ in nothing but an M20's middle digit, or the sonde is at the height that SondeHub's last frame lets
    /// expect. 30 s after one sonde another one is 150 m lower.
    func isSame(as frame: HeardFrame) -> Bool {
        // Once the receiver has heard this sonde, another name is another sonde, or a bit error.
        guard names.atReceiver == nil, heard.positionAt == nil, let serial, let name = frame.serial,
            let record = news.record,
            let position = frame.position, [.m10, .m20, .dfm].contains(frame.frame.sondeType)
        else { return false }
        let likeness = SondeLikeness(
            serial: name, sondeType: frame.frame.sondeType, frequencyMHz: frame.frame.frequencyMHz,
            points: [TrackPoint(position, at: frame.at.wall)])
        var sought = record
        sought.serial = serial
        guard likeness.name(in: [sought]) == serial else { return false }
        let (parts, others) = (serial.canonical.split(separator: "-"), name.canonical.split(separator: "-"))
        if parts.count == 3, others.count == 3, parts[0] == others[0], parts[2] == others[2] { return true }
        guard let speed = record.verticalSpeed else { return false }
        let seconds = frame.at.wall.duration(since: record.time).inSeconds
        let metres = abs(position.altitudeMetres - record.altitudeMetres - speed * seconds)
        let climbChange = abs((position.verticalSpeed ?? speed) - speed)
        return Silence(after: .seconds(abs(seconds))) < .silent && climbChange <= Self.climbTolerance
            && metres <= Self.heightTolerance.metres + Self.heightTolerance.perSecond * abs(seconds)
    }

    /// The receiver has another name for this sonde, whose flight goes on under SondeHub's name.
    mutating func rename(atReceiver name: SondeSerial, _ turn: inout Turn) {
        guard let serial else { return }
        names.atReceiver = name
        turn.store(StoredNames(atReceiver: name, onSondeHub: serial), as: .otherName)
        turn.note(
            .notice, "the receiver has the followed sonde under another name",
            facts: ["serial": serial.canonical, "name": name.canonical])
    }
}
