public import FlightMath
public import GatewayReports
public import ReceiverProtocol

/// Keeps the last values of all cars of a fleet, and finds the changes that the page must be told.
///
/// Messages in, changes for the page out. After a reconnect the broker sends all retained values again. The book
/// removes the values that have not come again within ``confirmation``.
public struct FleetBook: Sendable {
    /// A change of what the page shows.
    public struct Change: Equatable, Sendable {
        /// `cars`, `sondes` or `lines`.
        public var name: String
        /// A car's id or a sonde's serial.
        public var id: String
        /// The whole object, JSON without line breaks; nil if the car or the sonde is gone.
        public var data: [UInt8]?
    }

    /// Why a command can't be sent, for the page.
    public enum Objection: String, Error, Sendable {
        case unknown, silent, offline, unconnected
    }

    /// The most cars. A further one is refused until the broker no longer holds one of these: whoever may write on the
    /// broker may write as any car, so its access list protects the fleet.
    public static let mostCars = 2000
    /// The longest id of a car, bytes.
    static let longestID = 64
    /// The time in which the broker must send the retained values again.
    static let confirmation = Duration.seconds(20)

    private let base: String
    private var cars: [String: BoardCar] = [:]
    /// The cars that have sent a new value since the last ``changes(at:all:)``.
    private var touched: Set<String> = []
    /// The sondes that may have changed since then.
    private var touchedSondes: Set<String> = []
    /// The JSON that the page shows, by the change's name and then by the car's id or the sonde's serial.
    private var shown: [String: [String: [UInt8]]] = ["cars": [:], "sondes": [:], "lines": [:]]
    private var doubtsEnd: MonotonicTime?
    /// The number of refused messages: of an unknown topic, too large, unreadable, or beyond ``mostCars``.
    public private(set) var refused = 0
    public private(set) var isConnected = false

    /// - Parameter base: the base topic of all cars; a car's topics are below `<base>/<id>`.
    public init(base: String) { self.base = base }

    public var count: Int { cars.count }

    /// The topics that the board subscribes to.
    public var subscriptions: [String] {
        BoardTopic.allCases.map { "\(base)/+/\($0.rawValue)" } + ["\(base)/+/command/response"]
    }

    // MARK: - The broker

    /// A session with the broker has begun. Its retained values follow.
    public mutating func connected(at now: MonotonicTime) {
        isConnected = true
        for id in cars.keys { cars[id]?.doubtAll() }
        doubtsEnd = now.advanced(by: Self.confirmation)
    }

    public mutating func disconnected() { isConnected = false }

    /// - Parameters:
    ///   - isLive: false for a message that may be a retained one.
    public mutating func heard(_ payload: [UInt8], on topic: String, isLive: Bool, at now: Moment) {
        guard let (id, rest) = parts(of: topic) else { return }
        guard let topic = BoardTopic(rawValue: rest), payload.count <= topic.longestPayload else { return refuse() }
        var json: JSONValue?
        if !payload.isEmpty {
            let whole = topic.isWord ? .string(String(decoding: payload, as: UTF8.self)) : JSONValue(json: payload)
            json = whole.flatMap { topic.kept(of: $0) }
            if json == nil { return refuse() }
        }
        if cars[id] == nil {
            if json == nil { return }
            guard cars.count < Self.mostCars else { return refuse() }
        }
        var car = cars[id] ?? BoardCar(id: id)
        touchedSondes.formUnion(car.serials)
        if car.receive(topic, json, isLive: isLive, at: now) { touched.insert(id) }
        touchedSondes.formUnion(car.serials)
        cars[id] = car.isEmpty ? nil : car
    }

    /// Counts a message that can't be used.
    public mutating func refuse() { refused &+= 1 }

    /// The car's id and the rest of the topic; nil if the topic is not a car's.
    public func parts(of topic: String) -> (id: String, rest: String)? {
        guard topic.hasPrefix(base + "/") else { return nil }
        let parts = topic.dropFirst(base.count + 1).split(
            separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, parts[0].utf8.count <= Self.longestID else { return nil }
        return (String(parts[0]), String(parts[1]))
    }

    /// A sign of life for the pages, JSON: the board's time, whether it is connected to the broker, whether the page may
    /// send commands, the number of refused messages, and the units of a page whose user has chosen no others.
    public func sign(at now: Moment, allowsCommands: Bool, units: Units = .metric) -> [UInt8] {
        var json = JSONText()
        json.field("at", now.wall)
        json.field("broker", isConnected)
        json.field("commands", allowsCommands)
        json.field("units", units.rawValue)
        json.field("refused", refused)
        return json.object
    }

    // MARK: - Commands

    /// - Throws: why the car can't be reached now.
    public func checkReach(of id: String, at now: Moment) throws(Objection) {
        guard let car = cars[id] else { throw .unknown }
        switch car.reach(at: now) {
        case .ok: return
        case .silent: throw .silent
        case .offline: throw .offline
        case .unconnected: throw .unconnected
        }
    }

    // MARK: - The page

    /// The changes since the last call. Call it about twice a second.
    /// - Parameter all: true looks at each car, and so finds changes that come with time alone, for example silence.
    ///   Pass true every few seconds.
    public mutating func changes(at now: Moment, all: Bool) -> [Change] {
        if let end = doubtsEnd, now.monotonic >= end, isConnected { dropDoubted() }
        let ids = all ? Set(cars.keys).union(touched) : touched
        var serials = touchedSondes
        for id in ids { serials.formUnion(cars[id]?.serials ?? []) }
        (touched, touchedSondes) = ([], [])
        guard !ids.isEmpty || !serials.isEmpty else { return [] }
        var changes: [Change] = []
        func tell(_ name: String, of id: String, _ data: [UInt8]?) {
            guard shown[name]?[id] != data else { return }
            shown[name]?[id] = data
            changes.append(Change(name: name, id: id, data: data))
        }
        for id in ids.sorted() { tell("cars", of: id, cars[id]?.json(at: now)) }
        let sondes = sondes(serials, at: now)
        for serial in serials.sorted() {
            tell("sondes", of: serial, sondes[serial]?.json)
            tell("lines", of: serial, sondes[serial]?.lines)
        }
        return changes
    }

    private func sondes(_ serials: Set<String>, at now: Moment) -> [String: BoardSonde] {
        var knowing: [String: [BoardCar]] = [:]
        for car in cars.values.sorted(by: { $0.id < $1.id }) {
            for serial in car.serials where serials.contains(serial) { knowing[serial, default: []].append(car) }
        }
        return Dictionary(uniqueKeysWithValues: knowing.map { ($0, BoardSonde($0, cars: $1, at: now)) })
    }

    private mutating func dropDoubted() {
        doubtsEnd = nil
        for id in cars.keys {
            touchedSondes.formUnion(cars[id]?.serials ?? [])
            cars[id]?.dropDoubted()
            if cars[id]?.isEmpty == true { cars[id] = nil }
            touched.insert(id)
        }
    }
}

extension BoardCar {
    /// The sondes that the car's values name.
    fileprivate var serials: Set<String> {
        Set(
            [BoardTopic.state, .position, .landing, .prediction, .track, .recovery].compactMap {
                self[$0]?["serial"]?.asText
            })
    }
}
