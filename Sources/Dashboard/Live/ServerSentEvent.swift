import FlightMath
import GatewayReports
import NIOCore

/// One event as it goes over the line; the data is what MQTT gets, one line of JSON.
enum ServerSentEvent {
    /// The browser tries again after 2000 ms. `topics` names the events that follow: a browser hears only those that it
    /// has asked for by name.
    static let preamble: String = {
        let names = ["alive"] + Report.Kind.allCases.map(\.eventName)
        return "retry: 2000\nevent: topics\ndata: [\(names.map { "\"\($0)\"" }.joined(separator: ","))]\n\n"
    }()

    static func bytes(of report: Report, number: UInt64, at now: Moment, in phrases: any Phrasebook) -> ByteBuffer {
        bytes(report.kind.eventName, number: number, data: report.payload(at: now.monotonic, in: phrases))
    }

    /// A sign of life, with the gateway's time: what was received before has its age from it.
    static func alive(number: UInt64, at now: Moment) -> ByteBuffer {
        let data = #"{"at":"\#(now.wall.iso8601)","clock_synced":\#(now.isClockSynced)}"#
        return bytes("alive", number: number, data: Array(data.utf8))
    }

    private static func bytes(_ name: String, number: UInt64, data: [UInt8]) -> ByteBuffer {
        var buffer = ByteBuffer()
        buffer.reserveCapacity(data.count + 64)
        buffer.writeString("id: \(number)\nevent: \(name)\ndata: ")
        buffer.writeBytes(data)
        buffer.writeString("\n\n")
        return buffer
    }
}
