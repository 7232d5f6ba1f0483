import FlightMath
import GatewayReports
import GatewayRuntime

/// The report `sondes` as lines that people and `awk` can read.
enum SondeTable {
    private static let header = line([
        "", "serial", "type", "MHz", "away", "to", "altitude", "m/s", "phase", "last seen", "lands at",
    ])
    private static let widths = [1, 12, 7, 8, 8, 5, 9, 7, 19, 17]

    /// Nil if the payload is no such report.
    static func lines(of payload: [UInt8]) -> [String]? {
        guard case .object(let report)? = JSONValue(json: payload), case .array(let sondes)? = report["sondes"] else {
            return nil
        }
        guard !sondes.isEmpty else {
            return ["SondeHub has named no sonde yet; sondygo2mqtt status tells what the receiver hears"]
        }
        return [header] + sondes.compactMap { if case .object(let sonde) = $0 { line(of: sonde) } else { nil } }
    }

    private static func line(of sonde: [String: JSONValue]) -> String {
        line([
            sonde["hunted"] == .bool(true) ? "*" : "", text(sonde["serial"]), text(sonde["sonde_type"]),
            number(sonde["frequency_mhz"], decimals: 3),
            number(sonde["distance_m"]?.asDouble.map { .number($0 / 1000) }, decimals: 1, unit: "km"),
            number(sonde["bearing_deg"], decimals: 0, unit: "°"), number(sonde["altitude_m"], decimals: 0, unit: "m"),
            number(sonde["vertical_speed_mps"], decimals: 1), text(sonde["phase"]), minutes(sonde["time"]),
            landing(sonde["landing"]) + recovery(sonde["recovery"]),
        ])
    }

    private static func landing(_ value: JSONValue?) -> String {
        guard case .object(let landing)? = value else { return "-" }
        let place = [landing["latitude"], landing["longitude"]].map { number($0, decimals: 5) }.joined(separator: ",")
        return place + " " + minutes(landing["at"])
    }

    private static func recovery(_ value: JSONValue?) -> String {
        if case .string(let state)? = value { " " + state.plainLine(limit: 40) } else { "" }
    }

    private static func text(_ value: JSONValue?) -> String {
        if case .string(let text)? = value { text.plainLine(limit: 40) } else { "-" }
    }

    /// `2026-11-22T02:34Z`
    private static func minutes(_ value: JSONValue?) -> String {
        let text = text(value)
        return text == "-" ? text : text.prefix(16) + "Z"
    }

    private static func number(_ value: JSONValue?, decimals: Int, unit: String = "") -> String {
        guard let number = value?.asDouble else { return "-" }
        var bytes: [UInt8] = []
        bytes.append(decimal: number, decimals: decimals)
        return String(decoding: bytes, as: UTF8.self) + unit
    }

    private static func line(_ columns: [String]) -> String {
        columns.enumerated().map { index, text in
            index < widths.count ? text.padded(to: widths[index]) : text
        }.joined(separator: " ")
    }
}
