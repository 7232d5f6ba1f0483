import FlightMath
public import Gateway
public import GatewayReports

/// Requests to Tawhiri, and its answers.
///
/// `{"prediction":[{"stage":"ascent","trajectory":[{"altitude":…,"datetime":…,"latitude":…,"longitude":…},…]},
/// {"stage":"descent","trajectory":[…]}],…}`; its longitudes are 0…360.
public enum TawhiriFormat {
    /// The parameters of a request; nil if a number is infinite or out of range.
    public static func parameters(of query: TawhiriQuery) -> String? {
        let numbers = [
            query.launchAltitudeMetres, query.ascentRate, query.burstAltitudeMetres, query.descentRate,
        ]
        guard abs(query.launch.latitude) <= 90, abs(query.launch.longitude) <= 180,
            numbers.allSatisfy({ $0.isFinite && abs($0) <= 100_000 })
        else { return nil }
        let names = ["launch_altitude", "ascent_rate", "burst_altitude", "descent_rate"]
        let parameters =
            [
                "launch_latitude=\(micro(query.launch.latitude))",
                "launch_longitude=\(eastwards(query.launch.longitude))",
            ]
            + zip(names, numbers).map { "\($0)=\(micro($1))" }
            + ["launch_datetime=\(query.launchAt.iso8601)", "profile=standard_profile"]
        return parameters.joined(separator: "&")
    }

    /// - Throws: `malformed` if a stage is missing or empty, or a point is unusable; `status` if the answer is an error
    ///   object; `refused` if it is no JSON.
    public static func decode(_ answer: [UInt8]) throws(OnlineServiceError) -> OnlinePrediction {
        var stages = Stages()
        let text = answer.span
        var cursor = try JSONCursor(in: answer, behind: UInt8(ascii: "{"), "JSON")
        while let key = try cursor.nextKey(text) {
            if JSONCursor.isEqual(text, key, to: "prediction") {
                try stages.read(text, &cursor)
            } else {
                // Among them `warnings`, whose shape varies.
                try cursor.pass(text)
            }
        }
        return try stages.prediction(answer)
    }

    /// Rounds to six decimals, which are a tenth of a metre.
    private static func micro(_ value: Double) -> Double { (value * 1e6).rounded() / 1e6 }

    /// The longitude in 0 ..< 360 degrees.
    private static func eastwards(_ longitude: Double) -> Double {
        let turned = micro(longitude < 0 ? longitude + 360 : longitude)
        return turned >= 360 ? 0 : turned
    }
}

private struct Stages {
    private var ascent: [OnlinePrediction.Point]?
    private var descent: [OnlinePrediction.Point]?

    mutating func read(_ text: Span<UInt8>, _ cursor: inout JSONCursor) throws(OnlineServiceError) {
        guard try cursor.enter(UInt8(ascii: "["), text) else { return }
        while try cursor.nextElement(text) {
            guard try cursor.enter(UInt8(ascii: "{"), text) else { continue }
            try readStage(text, &cursor)
        }
    }

    private mutating func readStage(_ text: Span<UInt8>, _ cursor: inout JSONCursor) throws(OnlineServiceError) {
        var stage: Range<Int>?
        var course = CourseBuilder()
        while let key = try cursor.nextKey(text) {
            if JSONCursor.isEqual(text, key, to: "stage") {
                stage = try cursor.word(text)
            } else if JSONCursor.isEqual(text, key, to: "trajectory") {
                guard try cursor.enter(UInt8(ascii: "["), text) else { continue }
                while try cursor.nextElement(text) { try Self.readPoint(text, &cursor, into: &course) }
            } else {
                try cursor.pass(text)
            }
        }
        guard let stage else { return }
        if JSONCursor.isEqual(text, stage, to: "ascent") { ascent = course.points }
        if JSONCursor.isEqual(text, stage, to: "descent") { descent = course.points }
    }

    private static func readPoint(
        _ text: Span<UInt8>, _ cursor: inout JSONCursor, into course: inout CourseBuilder
    ) throws(OnlineServiceError) {
        guard try cursor.enter(UInt8(ascii: "{"), text) else {
            throw .malformed("a point of the predicted course is not an object")
        }
        var time: WallTime?
        var latitude, longitude, altitude: Double?
        while let key = try cursor.nextKey(text) {
            if JSONCursor.isEqual(text, key, to: "datetime") {
                time = try cursor.word(text).flatMap { SondeHubTime.parse(text.extracting($0)) }
            } else if JSONCursor.isEqual(text, key, to: "latitude") {
                latitude = try cursor.number(text)
            } else if JSONCursor.isEqual(text, key, to: "longitude") {
                longitude = try cursor.number(text)
            } else if JSONCursor.isEqual(text, key, to: "altitude") {
                altitude = try cursor.number(text)
            } else {
                try cursor.pass(text)
            }
        }
        try course.add(time: time, latitude: latitude, longitude: longitude, altitude: altitude)
    }

    /// - Parameter answer: the whole body, to be quoted in the error if it holds no prediction.
    func prediction(_ answer: [UInt8]) throws(OnlineServiceError) -> OnlinePrediction {
        guard ascent != nil || descent != nil else {
            throw ErrorObject(answer).map { OnlineServiceError(.status, "the answer is an error: \($0.text)") }
                ?? .malformed("the answer has no prediction")
        }
        guard let ascent, let burst = ascent.last else { throw .malformed("the predicted ascent is missing or empty") }
        guard let descent, let landing = descent.last else {
            throw .malformed("the predicted descent is missing or empty")
        }
        guard let fall = descent.first, burst.time <= fall.time else {
            throw .malformed("the predicted course goes back in time")
        }
        guard ascent.count + descent.count <= OnlinePrediction.limit else {
            throw .malformed("the predicted course has more than \(OnlinePrediction.limit) points")
        }
        // Tawhiri repeats the burst as the first point of the descent; drop the copy.
        let path = ascent + (fall == burst ? descent.dropFirst() : descent[...])
        return OnlinePrediction(path: path, burst: burst, landing: landing)
    }
}
