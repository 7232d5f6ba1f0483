import FlightMath
public import Gateway
public import GatewayReports
public import ReceiverProtocol

/// SondeHub's own predictions, `[{"vehicle":"V3240531","time":"…","descending":1,"landed":0,"data":"[…]"},…]`.
///
/// `data` is a string that holds JSON: `[{"time":1765458560,"lat":46.8,"lon":7.9,"alt":13203.2},…]`, Unix seconds. In the
/// live stream it is that list itself.
public enum SondeHubPredictionFormat {
    /// A course that ends higher does not end on the ground, metres.
    private static let highestLanding = 5000.0

    /// - Returns: nil if the answer has no prediction for this sonde, or if the sonde has landed.
    /// - Throws: `malformed` if the course is empty or unusable; `refused` if the answer is no JSON; `status` if it is
    ///   an error object.
    public static func decode(
        _ answer: [UInt8], for serial: SondeSerial
    ) throws(OnlineServiceError) -> OnlinePrediction? {
        var found: OnlinePrediction?
        try read(answer) { fields, text throws(OnlineServiceError) in
            if fields.serial == serial { found = try fields.prediction(text) }
        }
        return found
    }

    /// The landings of all sondes in the answer; at most ``SondeLanding/limit``. A sonde whose course is unusable is left
    /// out.
    /// - Throws: `refused` if the answer is no JSON; `malformed` if it is broken; `status` if it is an error object.
    public static func landings(_ answer: [UInt8]) throws(OnlineServiceError) -> [SondeLanding] {
        var landings: [SondeLanding] = []
        try read(answer) { fields, text throws(OnlineServiceError) in
            guard landings.count < SondeLanding.limit, let serial = fields.serial,
                let landing = (try? fields.prediction(text))?.landing, landing.altitudeMetres < Self.highestLanding
            else { return }
            landings.append(SondeLanding(serial, landing.coordinate, at: landing.time))
        }
        return landings
    }

    private static func read(
        _ answer: [UInt8], _ each: (Fields, Span<UInt8>) throws(OnlineServiceError) -> Void
    ) throws(OnlineServiceError) {
        let text = answer.span
        var cursor = try JSONCursor(in: answer, behind: UInt8(ascii: "["), "list")
        while try cursor.nextElement(text) {
            guard try cursor.enter(UInt8(ascii: "{"), text) else { continue }
            var fields = Fields()
            try fields.read(text, &cursor)
            try each(fields, text)
        }
    }
}

private struct Fields {
    var vehicle: String?
    private var madeAt: WallTime?
    private var isDescending = false
    private var hasLanded = false
    /// The course as a string, or as a list.
    private var data, list: Range<Int>?

    var serial: SondeSerial? { vehicle.flatMap { SondeSerial(name: $0, type: .other("")) } }

    mutating func read(_ text: Span<UInt8>, _ cursor: inout JSONCursor) throws(OnlineServiceError) {
        while let key = try cursor.nextKey(text) {
            if JSONCursor.isEqual(text, key, to: "vehicle") {
                vehicle = try cursor.word(text).flatMap { JSONCursor.decoded(text, $0) }
            } else if JSONCursor.isEqual(text, key, to: "time") {
                madeAt = try cursor.word(text).flatMap { SondeHubTime.parse(text.extracting($0)) }
            } else if JSONCursor.isEqual(text, key, to: "descending") {
                isDescending = try cursor.flag(text)
            } else if JSONCursor.isEqual(text, key, to: "landed") {
                hasLanded = try cursor.flag(text)
            } else if JSONCursor.isEqual(text, key, to: "data") {
                let start = cursor.position
                data = try cursor.word(text)
                if data == nil { list = start..<cursor.position }
            } else {
                try cursor.pass(text)
            }
        }
    }

    func prediction(_ text: Span<UInt8>) throws(OnlineServiceError) -> OnlinePrediction? {
        guard !hasLanded else { return nil }
        let json = data.map { JSONCursor.unescaped(text, $0) } ?? list.map { range in range.map { text[$0] } }
        guard let json else { throw .malformed("the prediction has no course") }
        let course = try Self.course(json)
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
