import ReceiverProtocol

// What outlives the process: the flight's points, the hunted sonde, options; and what a start makes of them.

/// What of the present an earlier run has left: it may turn out to be over when the clock is set.
struct TakenUp: Sendable {
    var hasFlight = false
    var huntedAt: WallTime?
}

extension GatewayMachine {
    /// A flight or a hunt older than this is over, seconds.
    private static let flightLimit = 43_200.0

    /// Goes on where an earlier run ended. Nothing of it is published as a position: it is no live one.
    mutating func takeUp(_ memory: GatewayMemory, _ now: Moment, _ actions: inout [GatewayAction]) {
        channels.recall(memory.lastHeard, until: now.wall)
        if let policy = memory.settings[.frequencySync].flatMap(FrequencySyncPolicy.init) {
            frequencySync.change(to: policy)
        }
        if let stored = memory.settings[.hunt].flatMap(StoredHunt.init), Self.isYoung(stored.at, now) {
            hunted.pinned = stored.serial
            takenUp.huntedAt = stored.at
        }
        guard let recorded = memory.flight, let last = recorded.points.last, Self.isYoung(last.time, now) else {
            return
        }
        _ = identity.adopt(recorded.serial)
        _ = flight.insert(contentsOf: recorded.points)
        takenUp.hasFlight = true
        let heardAt = now.monotonic.advanced(by: -now.wall.seconds(since: last.time))
        hunted.heard(recorded.serial, at: heardAt)
        lastPositionAt = heardAt
        announce(
            "flight_resumed", "The flight of \(recorded.serial) is taken up again.", level: .notice, now, &actions
        ) { json in
            json.field("serial", recorded.serial.canonical)
            json.fields(of: last)
        }
        judgePhase(now, &actions)
        publishFlight(now, &actions)
        fillGap(since: heardAt, now, &actions)
    }

    /// A start's clock may have been behind: with the right time what was taken up turns out to be long over.
    mutating func letGoOfWhatIsOver(_ now: Moment, _ actions: inout [GatewayAction]) {
        if let time = takenUp.huntedAt, !Self.isYoung(time, now) {
            takenUp.huntedAt = nil
            hunted.pinned = poll.settings.hunt
        }
        guard takenUp.hasFlight, let newest = flight.newest, !Self.isYoung(newest.time, now) else { return }
        takenUp.hasFlight = false
        actions.append(.note(GatewayNote(.notice, "the flight of the last run is long over")))
        identity = SondeIdentity()
        flight = Flight()
        hunted = HuntedSonde(pinned: hunted.pinned)
        lastPositionAt = nil
        cancelGapFill(&actions)
        judgePhase(now, &actions)
        publishFlight(now, &actions)
        publishState(now, &actions)
    }

    private static func isYoung(_ time: WallTime, _ now: Moment) -> Bool {
        (0..<flightLimit).contains(now.wall.seconds(since: time))
    }

    /// The points go to the store, under the sonde's name; what has none yet is no flight.
    mutating func record(_ points: [TrackPoint], _ actions: inout [GatewayAction]) {
        guard let serial = identity.current else { return }
        let heard = lastHeard.flatMap { $0.serial == serial ? $0.frame.sondeType : nil }
        let type = heard ?? told?.record.sondeType ?? .other("")
        actions.append(.record(.points(serial, type, points)))
    }

    mutating func remember(hunt serial: SondeSerial?, _ now: Moment, _ actions: inout [GatewayAction]) {
        takenUp.huntedAt = nil
        let hunt = serial.map { StoredHunt(serial: $0, at: now.wall) }
        actions.append(.record(.setting(.hunt, hunt?.text)))
    }
}

/// A hunt by command, as it is stored: `V4210150 1767268800000`.
private struct StoredHunt {
    var serial: SondeSerial
    var at: WallTime

    init(serial: SondeSerial, at: WallTime) {
        self.serial = serial
        self.at = at
    }

    init?(_ text: String) {
        let words = text.split(separator: " ")
        guard words.count >= 2, let time = Int64(words[words.count - 1]),
            let serial = SondeSerial(name: words.dropLast().joined(separator: " "), type: .other(""))
        else { return nil }
        self.init(serial: serial, at: WallTime(millisecondsSince1970: time))
    }

    var text: String { "\(serial.canonical) \(at.millisecondsSince1970)" }
}
