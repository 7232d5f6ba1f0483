import FlightMath
import GatewayReports

/// A value of an entity. It stays a value until it is published, because comparing texts would cost more.
enum HomeAssistantValue: Equatable, Sendable {
    /// The value is unknown or too old.
    case unknown
    case text(String)
    case flag(Bool)
    case whole(Int)
    case number(Double, decimals: Int)
    case time(WallTime)
    case place(HomeAssistantPlace)

    init(_ text: String?) { self = text.map(Self.text) ?? .unknown }
    init(_ flag: Bool?) { self = flag.map(Self.flag) ?? .unknown }
    init(_ number: Int?) { self = number.map(Self.whole) ?? .unknown }
    init(_ number: Double?, decimals: Int) { self = number.map { .number($0, decimals: decimals) } ?? .unknown }
    init(_ time: WallTime?) { self = time.map(Self.time) ?? .unknown }
    init(_ place: HomeAssistantPlace?) { self = place.map(Self.place) ?? .unknown }

    func write(_ key: String, to json: inout JSONText) {
        switch self {
        case .unknown: json.field(key, nil as String?)
        case .text(let text): json.field(key, text)
        case .flag(let flag): json.field(key, flag)
        case .whole(let number): json.field(key, number)
        case .number(let number, let decimals): json.field(key, number, decimals: decimals)
        case .time(let time): json.field(key, time)
        case .place(let place): json.field(key) { place.write(to: &$0) }
        }
    }
}
