import FlightMath
import NIOCore
import NIOHTTP1

extension TrackOutline {
    static let usualPoints = 2000
    /// Points in one piece of the answer.
    private static let step = 500

    /// `[[t_ms, latitude, longitude, altitude_m, source], …]`
    var answer: Answer {
        let points = points
        return Answer(
            .ok, headers: [("Content-Type", "application/json"), ("Cache-Control", "no-store")],
            body: .pieces { write in
                for start in stride(from: 0, to: max(1, points.count), by: Self.step) {
                    var text = start == 0 ? "[" : ""
                    for index in start..<min(start + Self.step, points.count) {
                        text += (index == 0 ? "" : ",\n") + points[index].json
                    }
                    if start + Self.step >= points.count { text += "]" }
                    try await write(ByteBuffer(string: text))
                }
            })
    }
}

extension TrackPoint {
    fileprivate var json: String {
        "[\(time.millisecondsSince1970),\(coordinate.latitude.rounded(to: 1e6)),"
            + "\(coordinate.longitude.rounded(to: 1e6)),\(altitudeMetres.rounded(to: 10)),\"\(source.rawValue)\"]"
    }
}

extension Double {
    fileprivate func rounded(to scale: Double) -> Double { (self * scale).rounded() / scale }
}
