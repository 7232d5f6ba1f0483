import FlightMath
public import Gateway
public import GatewayReports
public import ReceiverProtocol

/// SondeHub's own predictions, `[{"vehicle":"V3240531","time":"…","descending":1,"landed":0,"data":"[…]"},…]`.
///
/// `data` is a string that holds JSON: `[{"time":1765458560,"lat":46.8,"lon":7.9,"alt":13203.2},…]`, Unix seconds.
public enum SondeHubPredictionFormat {
    /// - Returns: nil if the answer has no prediction for this sonde, or if the sonde has landed.
    /// - Throws: `malformed` if the course is empty or unusable; `refused` if the answer is no JSON; `status` if it is
    ///   an error object.
    public static func decode(
        _ answer: [UInt8], for serial: SondeSerial
    ) throws(OnlineServiceError) -> OnlinePrediction? {
        let text = answer.span
        var cursor = JSONCursor()
        guard cursor.skip(0x20, text) == UInt8(ascii: "[") else {
            throw ErrorObject(answer).map { OnlineServiceError(.status, "the answer is an error: \($0.text)") }
                ?? OnlineServiceError(.refused, "no list but: \(PrintableText.of(answer))")
        }
        cursor.position += 1
        var found: OnlinePrediction?
        while try cursor.nextElement(text) {
            guard try cursor.enter(UInt8(ascii: "{"), text) else { continue }
            var fields = Fields()
            try fields.read(text, &cursor)
            if let name = fields.vehicle, SondeSerial(name: name, type: .other("")) == serial {
                found = try fields.prediction(text)
            }
        }
        return found
    }
}

private struct Fields {
    var vehicle: String?
    private var madeAt: WallTime?
    private var isDescending = false
    private var hasLanded = false
    private var data: Range<Int>?

    mutating func read(_ text: Span<UInt8>, _ cursor: inout JSONCursor) throws(OnlineServiceError) {
        while let key = try cursor.nextKey(text) {
            if JSONCursor.isEqual(text, key, to: "vehicle") {
                vehicle = try cursor.word(text).flatMap { JSONCursor.decoded(text, $0) }
            } else if JSONCursor.isEqual(text, key, to: "time") {
                madeAt = try cursor.word(text).flatMap { SondeHubTime.parse(text.extracting($0)) }
            } else if JSONCursor.isEqual(text, key, to: "descending") {
                isDescending = try Self.flag(text, &cursor)
            } else if JSONCursor.isEqual(text, key, to: "landed") {
                hasLanded = try Self.flag(text, &cursor)
            } else if JSONCursor.isEqual(text, key, to: "data") {
                data = try cursor.word(text)
            } else {
                try cursor.pass(text)
            }
        }
    }

    /// Reads 1 or `true` as true, any other value as false.
    private static func flag(_ text: Span<UInt8>, _ cursor: inout JSONCursor) throws(OnlineServiceError) -> Bool {
        guard let range = try cursor.word(text) else { return false }
        return JSONCursor.isEqual(text, range, to: "true") || JSONNumber.parse(text.extracting(range)) == 1
    }

    func prediction(_ text: Span<UInt8>) throws(OnlineServiceError) -> OnlinePrediction? {
        guard !hasLanded else { return nil }
        guard let data else { throw .malformed("the prediction has no course") }
        let course = try Self.course(JSONCursor.unescaped(text, data))
        guard let landing = course.last else { throw .malformed("the predicted course is empty") }
        let burst = isDescending ? nil : course.max { $0.altitudeMetres < $1.altitudeMetres }
        return OnlinePrediction(path: course, burst: burst, landing: landing, madeAt: madeAt)
    }

    private static func course(_ json: [UInt8]) throws(OnlineServiceError) -> [OnlinePrediction.Point] {
        let text = json.span
        var cursor = JSONCursor()
        var course = CourseBuilder()
        guard cursor.skip(0x20, text) == UInt8(ascii: "[") else {
            throw .malformed("the predicted course is not a list")
        }
        cursor.position += 1
        while try cursor.nextElement(text) {
            guard try cursor.enter(UInt8(ascii: "{"), text) else {
                throw .malformed("a point of the predicted course is not an object")
            }
            var time, latitude, longitude, altitude: Double?
            while let key = try cursor.nextKey(text) {
                if JSONCursor.isEqual(text, key, to: "time") {
                    time = try cursor.number(text)
                } else if JSONCursor.isEqual(text, key, to: "lat") {
                    latitude = try cursor.number(text)
                } else if JSONCursor.isEqual(text, key, to: "lon") {
                    longitude = try cursor.number(text)
                } else if JSONCursor.isEqual(text, key, to: "alt") {
                    altitude = try cursor.number(text)
                } else {
                    try cursor.pass(text)
                }
            }
            let instant = time.flatMap { SondeHubTime.instant(unixSeconds: $0) }
            try course.add(time: instant, latitude: latitude, longitude: longitude, altitude: altitude)
        }
        return course.points
    }
}
