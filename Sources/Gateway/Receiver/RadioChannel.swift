import FlightMath
import ReceiverProtocol

/// What the receiver's frames say of one sonde's transmitter over time: mean AFC, burst killer.
struct RadioChannel: Equatable, Sendable {
    /// Values of the mean (specification 3.9).
    static let afcWindow = 20

    /// Of whom the values are, as far as frames have named it: before a sonde is followed several may be heard.
    private var serial: SondeSerial?
    private var afcValues: [Int] = []
    private var tunedKHz: Int?
    /// When the burst killer ends the transmission; nil while it idles or nothing is known of it.
    private(set) var burstKillerAt: WallTime?

    /// Of the last ``afcWindow`` values, Hz; nil before the first.
    var afcMeanHz: Double? {
        afcValues.isEmpty ? nil : Double(afcValues.reduce(0, &+)) / Double(afcValues.count)
    }

    mutating func observe(_ heard: HeardFrame) {
        let frame = heard.frame
        if let name = heard.serial {
            if serial.map({ $0 != name }) ?? false { self = RadioChannel() }
            serial = name
        }
        if let frequency = frame.frequencyMHz.flatMap(Tuning.kilohertz), frequency != tunedKHz {
            tunedKHz = frequency
            afcValues = []
        }
        if let afc = frame.afcHz {
            afcValues.append(afc)
            if afcValues.count > Self.afcWindow { afcValues.removeFirst() }
        }
        if let burstKiller = frame.burstKiller {
            burstKillerAt = burstKiller.secondsLeft.map { heard.at.wall.advanced(by: .seconds($0)) }
        }
    }

    /// A new link session knows nothing of the burst killer yet.
    mutating func linkOpened() {
        burstKillerAt = nil
    }

    mutating func clockSet(byMilliseconds change: Int64) {
        burstKillerAt = burstKillerAt?.advanced(byMilliseconds: change)
    }
}
