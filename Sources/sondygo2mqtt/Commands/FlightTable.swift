import FlightMath
import Gateway
import GatewayReports
import ReceiverProtocol

/// The recorded flights as lines that people and `awk` can read.
enum FlightTable {
    static let header = line(["serial", "type", "from", "to", "points", "highest", "last seen at"])

    static func line(of recorded: RecordedFlights.Flight) -> String {
        let flight = recorded.archived
        let place = flight.landing ?? flight.last
        return line([
            flight.serial.canonical, flight.sondeType.name.isEmpty ? "-" : flight.sondeType.name,
            minutes(flight.firstAt), minutes(flight.last.time), "\(flight.points)", metres(flight.highestMetres),
            degrees(place.coordinate) + " " + metres(place.altitudeMetres) + (flight.landing == nil ? "" : " landed")
                + (flight.recovery.map { ", " + $0 } ?? "") + (recorded.isSimulated ? ", simulated" : ""),
        ])
    }

    /// One line for each prediction method with its errors.
    static func lines(of score: LandingScore) -> [String] {
        PredictionMethod.allCases.compactMap { method in
            score.errors[method].map { errors in
                let steps = [
                    ("30 min before", errors.at30Minutes), ("15 min", errors.at15Minutes), ("5 min", errors.at5Minutes),
                    ("last", errors.last),
                ]
                let text = steps.map { "\($0.0) \($0.1.map(metres) ?? "-")" }.joined(separator: ", ")
                return "  \(method.rawValue.padded(to: 10)) off by: \(text)"
            }
        }
    }

    /// The course of a flight, of the car's drive to it, and of the receiver: what is unknown is left out.
    static func lines(ofLog log: FlightLogbook.Entry) -> [String] {
        let steps = log.marks.map { mark in
            "\(mark.kind.rawValue) \(minutes(mark.point.time)) at \(metres(mark.point.altitudeMetres))"
        }
        var lines = steps.isEmpty ? [] : ["  " + steps.joined(separator: ", ")]
        if let from = log.chase.from, let to = log.chase.to {
            lines.append(
                "  car \(text(log.chase.drivenMetres / 1000, decimals: 1))km from \(minutes(from)) to \(minutes(to))"
                    + (log.chase.arrivedAt.map { ", at the sonde \(minutes($0))" } ?? ""))
        }
        if let receiver = log.receiver {
            lines.append(
                "  receiver: " + (receiver.firmware.map { "firmware \($0), " } ?? "")
                    + "restarts \(receiver.restarts), losses \(receiver.losses)")
        }
        if let note = log.flight.recoveryNote { lines.append("  note: " + plain(note)) }
        return lines
    }

    /// The text without characters that would break the line or change the terminal.
    private static func plain(_ text: String) -> String {
        var plain = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            plain.append(scalar.properties.generalCategory == .control ? " " : scalar)
        }
        return String(plain)
    }

    /// What the next flights are expected to do, and how many flights say so.
    static func lines(ofLessons lessons: [FlightLesson]) -> [String] {
        LearnedExpectation.all(from: lessons).map { expected in
            let steps = [
                expected.descentRate.map { "falls at \(text($0.value, decimals: 1))m/s" + from($0) },
                expected.burstMetres.map { "bursts at \(metres($0.value))" + from($0) },
            ].compactMap { $0 }
            return "learned: \(expected.sondeType.name) launched near \(degrees(expected.launch)) "
                + steps.joined(separator: ", ")
        }
    }

    private static func from(_ median: LearnedExpectation.Median) -> String {
        let flights = "\(median.flights) flight" + (median.flights == 1 ? "" : "s")
        return " (from \(flights)" + (median.isUsed ? ")" : ", too few to be used)")
    }

    private static let widths = [12, 6, 17, 17, 7, 9]

    private static func line(_ columns: [String]) -> String {
        columns.enumerated().map { index, text in
            index < widths.count ? text.padded(to: widths[index]) : text
        }.joined(separator: " ")
    }

    /// `2026-11-22T02:34Z`
    private static func minutes(_ time: WallTime) -> String { time.iso8601.prefix(16) + "Z" }

    private static func metres(_ value: Double) -> String { "\(text(value, decimals: 0))m" }

    private static func degrees(_ place: Coordinate) -> String {
        "\(text(place.latitude, decimals: 5)),\(text(place.longitude, decimals: 5))"
    }

    private static func text(_ value: Double, decimals: Int) -> String {
        var bytes: [UInt8] = []
        bytes.append(decimal: value, decimals: decimals)
        return String(decoding: bytes, as: UTF8.self)
    }
}
