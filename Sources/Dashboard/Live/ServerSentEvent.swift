import FlightMath
import GatewayReports
import NIOCore

/// The bytes of one event. The data is one line of JSON, the same as on MQTT.
enum ServerSentEvent {
    /// The first bytes of a stream. The browser reconnects after 2000 ms. `topics` lists the events' names, because a
    /// browser receives only events that it has subscribed to by name.
    static func preamble(_ names: [String]) -> String {
        "retry: 2000\nevent: topics\ndata: [\(names.map { "\"\($0)\"" }.joined(separator: ","))]\n\n"
    }

    /// The first bytes of a stream of the page in the car.
    static let preamble = preamble(["alive"] + Report.Kind.allCases.map(\.eventName))

    /// The last event of a stream that ends because another page's stream takes its place.
    static let replaced = ByteBuffer(string: "event: replaced\ndata: {}\n\n")

    static func bytes(of report: Report, number: UInt64, at now: Moment) -> ByteBuffer {
        bytes(report.kind.eventName, number: number, data: report.payload(at: now.monotonic))
    }

    /// A sign of life with the gateway's time, from which the page computes the ages of earlier data.
    static func alive(number: UInt64, at now: Moment) -> ByteBuffer {
        let data = #"{"at":"\#(now.wall.iso8601)","clock_synced":\#(now.isClockSynced)}"#
        return bytes("alive", number: number, data: Array(data.utf8))
    }

    static func bytes(_ name: String, number: UInt64, data: [UInt8]) -> ByteBuffer {
        var buffer = ByteBuffer()
        buffer.reserveCapacity(data.count + 64)
        buffer.writeString("id: \(number)\nevent: \(name)\ndata: ")
        buffer.writeBytes(data)
        buffer.writeString("\n\n")
        return buffer
    }
}
