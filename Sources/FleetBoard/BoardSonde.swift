import FlightMath
import GatewayReports
import ReceiverProtocol

/// One sonde, joined from the values of all cars that know it.
///
/// | value | taken from the car with |
/// | --- | --- |
/// | position | the newest of a receiver if at most ``freshness`` older than the newest of all, else the newest |
/// | landing point | observed or set by hand, else the smallest error radius, else the newest |
/// | prediction | the smallest error radius |
/// | recovery | the newest report |
/// | track | the one that ends last, else the longest |
struct BoardSonde {
    /// A receiver's frame goes before a newer one of SondeHub that is at most this much newer.
    static let freshness = Duration.seconds(30)

    let serial: String
    private let cars: [BoardCar]
    private let now: Moment

    /// - Parameter cars: the cars that know the sonde, in the order of their ids.
    init(_ serial: String, cars: [BoardCar], at now: Moment) {
        self.serial = serial
        self.cars = cars
        self.now = now
    }

    private struct Frame {
        var car: String
        var json: JSONValue
        var time: WallTime
        var isReceiver: Bool { json["source"]?.asText == "ble" }
    }

    private func values(_ topic: BoardTopic) -> [(car: BoardCar, json: JSONValue)] {
        cars.compactMap { car in
            guard let json = car[topic], json["serial"]?.asText == serial else { return nil }
            return (car, json)
        }
    }

    /// A time ahead of the board's clock comes from a car whose clock is unknown. It proves nothing, so its frame
    /// counts as the oldest.
    private func frames() -> [Frame] {
        let latest = now.wall.advanced(by: CarPulse.clockTolerance)
        return values(.position).map { car, json in
            let time = car.time(json["time"]) ?? .distantPast
            return Frame(car: car.id, json: json, time: time > latest ? .distantPast : time)
        }
    }

    private var best: Frame? {
        let frames = frames().sorted { $0.time > $1.time }
        guard let newest = frames.first else { return nil }
        return frames.first { $0.isReceiver && newest.time.duration(since: $0.time) <= Self.freshness } ?? newest
    }

    private static func radius(_ json: JSONValue) -> Double { json["error_radius_90_m"]?.asDouble ?? .infinity }

    private var landing: (car: BoardCar, json: JSONValue)? {
        func rank(_ one: (car: BoardCar, json: JSONValue)) -> (Int, Int, Double, Int64) {
            let isKnown = ["observed", "manual"].contains(one.json["source"]?.asText)
            let age = -(one.car.time(one.json["time"])?.millisecondsSince1970 ?? .min + 1)
            return (isKnown ? 0 : 1, unreached(one.car), Self.radius(one.json), age)
        }
        return values(.landing).min { rank($0) < rank($1) }
    }

    /// What a car says that can't be reached is old.
    private func unreached(_ car: BoardCar) -> Int { car.reach(at: now) == .ok ? 0 : 1 }

    private var prediction: (car: BoardCar, json: JSONValue)? {
        values(.prediction).min {
            (unreached($0.car), Self.radius($0.json)) < (unreached($1.car), Self.radius($1.json))
        }
    }

    /// A report with a time ahead of the board's clock counts as the oldest, as with frames.
    private var recovery: (car: BoardCar, json: JSONValue)? {
        func time(_ one: (car: BoardCar, json: JSONValue)) -> WallTime {
            let time = one.car.time(one.json["time"]) ?? .distantPast
            return time > now.wall.advanced(by: CarPulse.clockTolerance) ? .distantPast : time
        }
        return values(.recovery).max { time($0) < time($1) }
    }

    /// The sonde's JSON for the page, without ``lines``.
    var json: [UInt8] {
        var json = JSONText()
        json.field("serial", serial)
        json.field("position", best) { inner, frame in
            for key in [
                "latitude", "longitude", "altitude_m", "horizontal_speed_mps", "vertical_speed_mps", "source",
                "sonde_type",
            ] { inner.field(key, frame.json[key] ?? .null) }
            inner.field("at", frame.time)
            inner.field("car", frame.car)
        }
        let flights = values(.flight)
        let live = flights.filter { unreached($0.car) == 0 }
        let phases = (live.isEmpty ? flights : live).map { $0.json["phase"]?.asText }
        json.field("phase", phases.contains("landed") ? "landed" : phases.compactMap { $0 }.first { $0 != "unknown" })
        json.array("heard_by", heard[...]) { $0.object($1) }
        json.field("landing", landing) { inner, one in
            for key in [
                "latitude", "longitude", "source", "method", "error_radius_50_m", "error_radius_90_m",
                "landing_error_50_s",
            ] {
                inner.field(key, one.json[key] ?? .null)
            }
            inner.field("landing_at", one.car.time(one.json["landing_at"]))
            inner.field("car", one.car.id)
        }
        json.field("prediction", prediction) { inner, one in
            for key in ["method", "error_radius_90_m"] { inner.field(key, one.json[key] ?? .null) }
            inner.field("landing_at", one.car.time(one.json["landing_at"]))
            inner.field("car", one.car.id)
        }
        json.field("recovery", recovery) { inner, one in
            for key in ["state", "by", "note", "latitude", "longitude"] { inner.field(key, one.json[key] ?? .null) }
            inner.field("at", one.car.time(one.json["time"]))
            inner.field("car", one.car.id)
        }
        json.array("arrivals", arrivals[...]) { $0.object($1) }
        return json.object
    }

    /// The cars whose receiver hears the sonde, the strongest signal first.
    private var heard: [(inout JSONText) -> Void] {
        values(.radio).filter { $0.json["source"]?.asText == "ble" }
            .sorted { $0.json["rssi_dbm"]?.asDouble ?? -.infinity > $1.json["rssi_dbm"]?.asDouble ?? -.infinity }
            .map { car, json in
                { text in
                    text.field("car", car.id)
                    text.field("rssi_dbm", json["rssi_dbm"] ?? .null)
                    text.field("at", car.time(json["time"]))
                }
            }
    }

    /// The cars on their way to the landing point, sorted by the length of their drive. Cars that can't be reached come
    /// last.
    private var arrivals: [(inout JSONText) -> Void] {
        func rank(_ car: BoardCar) -> (Int, Double, Double) {
            (
                unreached(car), car[.chase]?["route"]?["duration_s"]?.asDouble ?? .infinity,
                car[.chase]?["landing"]?["distance_m"]?.asDouble ?? .infinity
            )
        }
        return cars.filter { $0.serial == serial && $0[.chase]?["landing"] != nil }.sorted { rank($0) < rank($1) }
            .map { car in
                { text in
                    let (chase, route) = (car[.chase], car[.chase]?["route"])
                    text.field("car", car.id)
                    text.field("distance_m", route?["distance_m"] ?? chase?["landing"]?["distance_m"] ?? .null)
                    text.field("method", route?["method"] ?? .null)
                    text.field("duration_s", route?["duration_s"] ?? .null)
                    text.field("arrival_at", car.time(route?["arrival_at"]))
                    text.field("margin_s", chase?["margin_s"] ?? .null)
                }
            }
    }

    /// JSON with the points of the track and of the predicted path.
    var lines: [UInt8] {
        var json = JSONText()
        json.field("serial", serial)
        let track = values(.track).max { rank($0.json) < rank($1.json) }?.json["points"] ?? .array([])
        json.field("track", track)
        json.field("path", prediction?.json["path"] ?? .array([]))
        return json.object
    }

    /// The time of a track's last point and the number of points, for choosing the best track.
    private func rank(_ json: JSONValue) -> (Double, Int) {
        guard case .array(let points)? = json["points"], case .array(let last)? = points.last else { return (0, 0) }
        return (last.first?.asDouble ?? 0, points.count)
    }
}

extension WallTime {
    static let distantPast = WallTime(millisecondsSince1970: 0)
}
