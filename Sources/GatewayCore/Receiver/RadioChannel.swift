import ReceiverProtocol

/// What the receiver's frames say of one sonde's transmitter over time: mean AFC, burst killer.
struct RadioChannel: Equatable, Sendable {
    /// Values of the mean (specification 3.9).
    static let afcWindow = 20

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
