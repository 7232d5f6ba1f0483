import FlightMath
import GatewayReports
import ReceiverProtocol

// The sonde's names: which frames and records are its own, although a source has another name for it.

extension FollowedSonde {
    /// Further names are used, but not announced.
    private static let mostOtherNames = 8
    /// The receiver's height may differ from the expected one by this many metres, and by so many more for each second
    /// since SondeHub's frame; its vertical speed by this many m/s.
    private static let heightTolerance = (metres: 40.0, perSecond: 0.5)
    private static let climbTolerance = 5.0

    /// Whether a frame has this sonde's name.
    func isNamed(by frame: RadioFrame) -> Bool {
        guard let serial, let name = frame.name.flatMap({ SondeSerial(name: $0, type: frame.sondeType) }) else {
            return false
        }
        return name == serial || name == names.atReceiver
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
