import FlightMath
import GatewayReports
import ReceiverProtocol

/// The last values that one car has published.
struct BoardCar {
    /// How well a car can be reached.
    enum Reach: String {
        case ok
        /// No `health` has come for ``silence``: the car's gateway, box or network is away.
        case silent
        /// Its gateway has stopped or has lost its broker.
        case offline
        /// Its bridge to the fleet's broker is down.
        case unconnected
    }

    private struct Value {
        var json: JSONValue
        /// False after a reconnect until the broker has sent the value again.
        var isConfirmed = true
        /// Whether the value came live in this session.
        var isLive = false
    }

    /// A car is silent after this time without `health`. A gateway publishes it every 30 s.
    static let silence = Duration.seconds(75)

    let id: String
    private var values: [BoardTopic: Value] = [:]
    private var pulse = CarPulse()
    /// When the bridge was last said to be up or down.
    private var uplinkAt = MonotonicTime.zero

    init(id: String) { self.id = id }

    var isEmpty: Bool { values.isEmpty }
    subscript(topic: BoardTopic) -> JSONValue? { values[topic]?.json }

    /// The sonde that the car follows.
    var serial: String? { self[.state]?["serial"]?.asText }
    var hasOwnClockOff: Bool {
        clockOffset.map { !(.zero - CarPulse.clockTolerance...CarPulse.clockTolerance).contains($0) } ?? false
    }
    private var clockOffset: Duration? { pulse.clockOffset }

    private func isHeardLive(at now: MonotonicTime) -> Bool {
        pulse.heardAt.map { now.duration(since: $0) < Self.silence } ?? false
    }

    /// - Parameter json: nil removes the value.
    /// - Returns: whether the value has changed.
    mutating func receive(_ topic: BoardTopic, _ json: JSONValue?, isLive: Bool, at now: Moment) -> Bool {
        // NATS can send the retained value up to a second after a newer live one.
        if !isLive, values[topic]?.isLive == true { return false }
        guard let json else { return values.removeValue(forKey: topic) != nil }
        let isNew = values[topic]?.json != json
        values[topic] = Value(json: json, isLive: isLive)
        if topic == .health, isLive { pulse.heard(json, at: now) }
        if topic == .uplink, isLive || isNew { uplinkAt = now.monotonic }
        return isNew
    }

    mutating func doubtAll() {
        for topic in values.keys {
            values[topic]?.isConfirmed = false
            values[topic]?.isLive = false
        }
    }
    /// Removes the values that the broker has not sent again.
    mutating func dropDoubted() { values = values.filter(\.value.isConfirmed) }

    func reach(at now: Moment) -> Reach {
        if self[.bridgeState]?.asText == "offline" { return .offline }
        if self[.uplink]?.asText == "0", !isHeardSinceUplink { return .unconnected }
        return isHeard(at: now) ? .ok : .silent
    }

    /// The will of a bridge's lost connection can come after the message of its next one, from another server.
    private var isHeardSinceUplink: Bool { pulse.heardAt.map { $0 > uplinkAt } ?? false }

    private func isHeard(at now: Moment) -> Bool {
        if pulse.heardAt != nil { return isHeardLive(at: now.monotonic) }
        return lastSign.map { (.zero - Self.silence..<Self.silence).contains(now.wall.duration(since: $0)) } ?? false
    }

    /// The time of the newest `health`, by the board's clock. With one id twice, the last value that has come can be an
    /// older one.
    var lastSign: WallTime? {
        let last = time(self[.health]?["at"])
        guard let newest = pulse.newest.map(corrected) else { return last }
        return last.map { max($0, newest) } ?? newest
    }

    /// Converts a time of the car's clock to the board's clock, if the car's clock is known to be off. Nil if `value`
    /// is not an ISO 8601 time.
    func time(_ value: JSONValue?) -> WallTime? {
        value?.asText.flatMap { WallTime(iso8601: $0) }.map(corrected)
    }

    private func corrected(_ time: WallTime) -> WallTime {
        hasOwnClockOff ? time.advanced(by: .zero - (clockOffset ?? .zero)) : time
    }

    /// The car's JSON for the page. Its times are by the board's clock. It has no ages, because they change each
    /// second.
    func json(at now: Moment) -> [UInt8] {
        let (state, radio, car) = (self[.state], self[.radio], self[.chase]?["car"])
        var json = JSONText()
        json.field("id", id)
        json.field("reach", reach(at: now).rawValue)
        json.field("at", lastSign)
        json.field("clock_off_s", hasOwnClockOff ? clockOffset.map { Int(clamping: $0.components.seconds) } : nil)
        json.field("clock_synced", self[.health]?["clock_synced"]?.asTruth)
        // The gateway reports a second gateway on its own broker. The board finds one on another broker.
        json.field("twice", self[.health]?["other_gateway"] != nil || pulse.isTwice)
        json.field("serial", serial)
        for key in ["state", "phase", "source", "link"] { json.field(key, state?[key] ?? .null) }
        for key in ["latitude", "longitude", "course_deg", "speed_mps"] { json.field(key, car?[key] ?? .null) }
        json.field("placed_at", time(car?["time"]))
        for key in ["frequency_mhz", "rssi_dbm", "battery_pct"] { json.field(key, radio?[key] ?? .null) }
        json.field("radio_at", time(radio?["time"]))
        return json.object
    }
}
