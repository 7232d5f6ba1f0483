import FlightMath
public import Gateway
public import GatewayReports
import ReceiverProtocol

/// Decodes SondeHub's answers while they arrive: `{serial: record}` and `{serial: {time: record}}`.
///
/// A record that is incomplete, malformed or too long is skipped and counted. Text that is no JSON is an error, and so
/// is an object that reports an error. The stream keeps only an unfinished record's bytes and at most the newest
/// `limit` records, so a long answer needs no more memory than a short one.
public struct RecordStream: Sendable {
    public enum Shape: Sendable {
        /// `/sondes` and `/sondes/site`: the newest record of each sonde.
        case newest
        /// `/sondes/telemetry`: all records of a sonde by time.
        case track
    }

    /// A longer record is skipped, bytes.
    private static let longestRecord = 65_536
    /// Top-level keys of an error object. No sonde has such a serial.
    private static let errorKeys = ["message", "errorMessage", "error"]

    /// The longest serial or type that is accepted, characters.
    private static let longestName = 64
    /// The range of the receiver's radio chip, MHz.
    private static let chipMHz = 137.2...524.8

    private let recordLevel: Int
    private var level = 0
    private var isEnded = false
    private var pending: [UInt8] = []
    /// Set while a record that is too long is being skipped.
    private var skipper: MemberSkipper?
    private var serialText = ""
    private var serialOfType: (type: SondeType, serial: SondeSerial?)?
    private var records: NewestRecords
    private var hasRecords = false
    private var errorText: String?
    /// The number of records that could not be used.
    public private(set) var skipped = 0
    /// The number of usable records that did not fit; these were the oldest.
    public var dropped: Int { records.dropped }
    /// The number of records that ``takeRecords()`` would return, before it applies the limit.
    public var count: Int { records.count }

    /// - Parameter limit: the most records to keep until ``takeRecords()``, the newest; nil keeps all.
    public init(_ shape: Shape, keeping limit: Int? = nil) {
        recordLevel = shape == .newest ? 1 : 2
        records = NewestRecords(limit: limit)
    }

    /// Adds the next bytes of the answer.
    /// - Throws: ``OnlineServiceError`` `refused` for text instead of JSON, `malformed` for broken JSON.
    public mutating func append(_ bytes: some Sequence<UInt8>) throws(OnlineServiceError) {
        pending.append(contentsOf: bytes)
        // A local copy, because reading `pending` while a method changes `self` would violate exclusive access.
        let text = pending
        pending = []
        var cursor = JSONCursor()
        if skipper != nil {
            guard let end = skipper?.end(in: text.span) else { return }
            skipper = nil
            cursor.position = end
        }
        while try step(text.span, &cursor) {}
        _ = cursor.skip(UInt8(ascii: ","), text.span)
        guard text.count - cursor.position > Self.longestRecord else {
            pending = cursor.position == 0 ? text : Array(text[cursor.position...])
            return
        }
        skipped += 1
        var skipper = MemberSkipper()
        _ = skipper.end(in: text.span.extracting(cursor.position..<text.count))
        self.skipper = skipper
    }

    /// Checks that the answer is complete.
    /// - Throws: `malformed` if it is cut short, `status` if it was an error object, `refused` if it was text instead
    ///   of JSON.
    public func end() throws(OnlineServiceError) {
        guard isEnded else {
            throw level == 0 && !pending.isEmpty ? Self.text(pending) : .cutShort
        }
        if let errorText, !hasRecords { throw OnlineServiceError(.status, "the answer is an error: \(errorText)") }
    }

    /// The records so far. Each record is returned once.
    public mutating func takeRecords() -> [SondeHubRecord] { records.removeAll() }

    /// Reads one key with its value, or one bracket.
    /// - Returns: false if more bytes are needed, or if the text is used up.
    private mutating func step(_ text: Span<UInt8>, _ cursor: inout JSONCursor) throws(OnlineServiceError) -> Bool {
        let start = cursor.position
        guard let next = cursor.skip(UInt8(ascii: ","), text) else { return false }
        let memberStart = cursor.position
        if isEnded { throw .malformed("more follows after the answer's end") }
        if level == 0 {
            guard next == UInt8(ascii: "{") else {
                throw Self.text(Self.bytes(text, cursor.position..<text.count))
            }
            cursor.position += 1
            level = 1
            return true
        }
        if next == UInt8(ascii: "}") {
            cursor.position += 1
            level -= 1
            isEnded = level == 0
            return true
        }
        guard next == UInt8(ascii: "\"") else { throw .malformed("a key was expected") }
        guard let key = cursor.string(text), let value = cursor.skip(UInt8(ascii: ":"), text) else {
            cursor.position = start
            return false
        }
        if level == 1 {
            serialText = JSONCursor.decoded(text, key) ?? ""
            serialOfType = nil
        }
        if level < recordLevel, serialText != "error", value == UInt8(ascii: "{") {
            cursor.position += 1
            level += 1
            return true
        }
        let isRecord = level == recordLevel && value == UInt8(ascii: "{")
        let valueStart = cursor.position
        var fields = RecordFields()
        guard isRecord ? try fields.read(text, &cursor) : cursor.skipValue(text) else {
            cursor.position = start
            return false
        }
        if isRecord, cursor.position - memberStart <= Self.longestRecord, let record = record(fields) {
            records.add(record)
            hasRecords = true
        } else {
            skipped += 1
            if level == 1, Self.errorKeys.contains(serialText) {
                errorText = PrintableText.of(Self.bytes(text, valueStart..<cursor.position))
            }
        }
        return true
    }

    private mutating func record(_ fields: RecordFields) -> SondeHubRecord? {
        guard let time = fields.time, let latitude = fields.latitude, let longitude = fields.longitude,
            let altitude = fields.altitude, abs(latitude) <= 90, abs(longitude) <= 180, -500...60_000 ~= altitude,
            latitude != 0 || longitude != 0
        else { return nil }
        let typeText = fields.type ?? ""
        guard serialText.utf8.count <= Self.longestName, PlainText.isPlain(typeText) else { return nil }
        let type = SondeType(sondeHubName: String(typeText.prefix(Self.longestName)))
        if serialOfType?.type != type { serialOfType = (type, SondeSerial(name: serialText, type: type)) }
        guard let serial = serialOfType?.serial else { return nil }
        let leap = fields.reportsGPSTime ? SondeHubTime.leapMilliseconds : 0
        let utc = time.advanced(byMilliseconds: -leap)
        let stamp = fields.stamp(at: utc)
        var record = SondeHubRecord(
            serial: serial, sondeType: type, time: utc.advanced(by: .zero - (stamp?.error ?? .zero)),
            coordinate: Coordinate(latitude: latitude, longitude: longitude), altitudeMetres: altitude)
        record.horizontalSpeed = Self.plausible(fields.horizontalSpeed, 0...150)
        record.verticalSpeed = fields.verticalSpeed.flatMap { speed in
            PlausibleVerticalSpeed.contains(speed, atMetres: altitude) ? speed : nil
        }
        record.headingDegrees = Self.plausible(fields.heading, 0...360)
        record.temperatureCelsius = Self.plausible(fields.temperature, -150...100)
        record.humidityPercent = Self.plausible(fields.humidity, 0...100)
        record.pressureHectopascal = Self.plausible(fields.pressure, 0...1200)
        let nominal = Self.plausible(fields.nominalFrequency, Self.chipMHz)
        record.frequencyMHz = nominal ?? Self.plausible(fields.measuredFrequency, Self.chipMHz)
        record.isFrequencyNamed = nominal != nil
        record.secondsUntilOff = fields.burstTimer.flatMap(Int.init(exactly:)).flatMap(BurstKiller.secondsLeft)
        record.station = fields.station
        record.uploader = fields.uploader
        record.uploaderAltitudeMetres = fields.uploaderAltitude
        record.stamp = stamp
        return record
    }

    /// The value if it is in `range`; otherwise nil. The other fields of the record stay valid.
    private static func plausible(_ value: Double?, _ range: ClosedRange<Double>) -> Double? {
        value.flatMap { range.contains($0) ? $0 : nil }
    }

    private static func bytes(_ text: Span<UInt8>, _ range: Range<Int>) -> [UInt8] {
        text.extracting(range).withUnsafeBufferPointer { Array($0) }
    }

    /// SondeHub reports a wrong request as plain text with status 200.
    private static func text(_ bytes: some Sequence<UInt8>) -> OnlineServiceError {
        OnlineServiceError(.refused, "no JSON but: \(PrintableText.of(bytes))")
    }
}

extension OnlineServiceError {
    static func malformed(_ detail: String) -> OnlineServiceError { OnlineServiceError(.malformed, detail) }
}
