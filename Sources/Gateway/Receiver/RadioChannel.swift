import FlightMath
import ReceiverProtocol

/// The mean AFC and the burst killer of one sonde, collected from the receiver's frames.
struct RadioChannel: Equatable, Sendable {
    /// The number of values in the mean.
    static let afcWindow = 20

    /// The sonde of the values; nil until a frame has named it. Several sondes may be heard before one is followed.
    private var serial: SondeSerial?
    private var afcValues: [Int] = []
    private var tunedKHz: Int?
    /// The receiver's frequency when the last type 1 with a name came, MHz.
    private(set) var heardOnMHz: Double?
    /// The type by which the receiver decoded that frame.
    private(set) var heardAs: SondeType?
    /// When the burst killer ends the transmission; nil if it is idle or unknown.
    private var burstKillerEnd: MonotonicTime?

    /// The mean of the last ``afcWindow`` values, Hz; nil before the first.
    var afcMeanHz: Double? {
        afcValues.isEmpty ? nil : Double(afcValues.reduce(0, &+)) / Double(afcValues.count)
    }

    mutating func observe(_ heard: HeardFrame) {
        let frame = heard.frame
        if let name = heard.serial {
            if let serial, serial != name { self = RadioChannel() }
            serial = name
            if frame.kind == .telemetry {
                heardOnMHz = frame.frequencyMHz ?? heardOnMHz
                heardAs = frame.sondeType
            }
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
            burstKillerEnd = burstKiller.secondsLeft.map { heard.at.monotonic.advanced(by: .seconds($0)) }
        }
    }

    /// Forgets the burst killer at the start of a link.
    mutating func linkOpened() {
        burstKillerEnd = nil
    }

    /// When the burst killer ends the transmission; nil if it is idle or unknown.
    func burstKillerAt(_ now: Moment) -> WallTime? {
        burstKillerEnd.map { now.wall.advanced(by: $0.duration(since: now.monotonic)) }
    }
}
