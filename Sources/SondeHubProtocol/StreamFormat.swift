import FlightMath
public import Gateway
public import GatewayReports
public import ReceiverProtocol

/// The messages of SondeHub's live stream, each of one sonde:
///
///     sondes/<serial>      one record as in ``RecordStream``
///     prediction/<serial>  one prediction as in ``SondeHubPredictionFormat``; its `data` is a list
///     recovery/<serial>    one report as in ``RecoveryFormat``
public enum StreamFormat {
    /// The usable content of some messages. A message that is not usable counts as skipped.
    public struct Content: Equatable, Sendable {
        public var frames = SondeHubAnswer(records: [])
        /// The newest prediction; nil if there is none.
        public var prediction: OnlinePrediction?
        public var recoveries: [Recovery] = []
    }

    private static let predictions = "prediction/"
    private static let recoveries = "recovery/"

    /// The topics of a sonde. Without the first of them, its frames, a stream is useless.
    public static func topics(of serial: SondeSerial) -> [String] {
        ["sondes/", predictions, recoveries].map { $0 + serial.canonical }
    }

    /// Whether a subscription to the sonde's topic brings only this sonde, and its serial needs no escapes in JSON.
    public static func canSubscribe(to serial: SondeSerial) -> Bool {
        serial.canonical.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && !"/+#\"\\".utf8.contains($0) }
    }

    /// - Returns: the content of the messages that belong to this sonde.
    public static func decode(_ messages: [IncomingMessage], of serial: SondeSerial) -> Content {
        var content = Content()
        for message in messages {
            if message.topic.hasPrefix(predictions) {
                do throws(OnlineServiceError) {
                    let found = try SondeHubPredictionFormat.decode(listed(message.payload), for: serial)
                    content.prediction = found ?? content.prediction
                } catch {
                    content.frames.skipped += 1
                }
            } else if message.topic.hasPrefix(recoveries) {
                let found = (try? RecoveryFormat.decode(listed(message.payload))) ?? []
                let own = found.filter { $0.serial == serial }
                content.recoveries += own
                if own.isEmpty { content.frames.skipped += 1 }
            } else if let record = record(message.payload, of: serial) {
                content.frames.records.append(record)
            } else {
                content.frames.skipped += 1
            }
        }
        return content
    }

    /// REST's answers are lists. The stream sends their elements.
    private static func listed(_ payload: [UInt8]) -> [UInt8] {
        let isObject = payload.first { !" \t\r\n".utf8.contains($0) } == UInt8(ascii: "{")
        return isObject ? [UInt8(ascii: "[")] + payload + [UInt8(ascii: "]")] : payload
    }

    private static func record(_ payload: [UInt8], of serial: SondeSerial) -> SondeHubRecord? {
        var stream = RecordStream(.newest, keeping: 1)
        do throws(OnlineServiceError) {
            try stream.append(Array("{\"\(serial.canonical)\":".utf8) + payload + [UInt8(ascii: "}")])
            try stream.end()
        } catch {
            return nil
        }
        return stream.takeRecords().first { $0.serial == serial }
    }
}
