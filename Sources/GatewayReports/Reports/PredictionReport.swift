public import FlightMath
public import ReceiverProtocol

/// The prediction that is used, and beside it the one from the flight's own winds.
public struct PredictionReport: Equatable, Sendable {
    /// The least time between two published or stored predictions. Each point of the flight yields a new one.
    public static let spacing = Duration.seconds(5)

    public var serial: SondeSerial?
    public var forecast: Forecast
    /// The prediction from the flight's own winds; nil if it doesn't exist.
    public var ownWinds: Forecast?

    public init(serial: SondeSerial? = nil, forecast: Forecast, ownWinds: Forecast? = nil) {
        self.serial = serial
        self.forecast = forecast
        self.ownWinds = ownWinds
    }

    public var method: PredictionMethod { forecast.method }

    func payload(at now: MonotonicTime) -> [UInt8] {
        var json = JSONText()
        json.field("serial", serial?.canonical)
        Self.fields(of: forecast, at: now, in: &json)
        json.field("own_winds", ownWinds) { Self.fields(of: $1, at: now, in: &$0) }
        return json.object
    }

    private static func fields(of winds: LandingPrediction.WindSources, in json: inout JSONText) {
        json.field("own_top_m", winds.ownTopMetres, decimals: 1)
        json.field("other", winds.other.map { $0 == .forecast ? "forecast" : "flight" })
        json.field("other_age_h", winds.otherAge.map { $0 / 3600 }, decimals: 1)
        json.field("other_serial", winds.otherSerial?.canonical)
    }

    private static func fields(of forecast: Forecast, at now: MonotonicTime, in json: inout JSONText) {
        let prediction = forecast.prediction
        json.field("method", forecast.method.rawValue)
        json.field("landing") { $0.place(prediction.landing) }
        json.field("landing_at", prediction.landing.time)
        json.field("landing_in_s", Int(forecast.timeToGo(at: now).components.seconds))
        json.field("burst", prediction.burst) { inner, point in
            inner.place(point)
            inner.field("at", point.time)
        }
        json.array("path", prediction.path[...]) { inner, point in
            inner.values(point.coordinate, altitudeMetres: point.altitudeMetres, at: point.time)
        }
        json.field("error_radius_50_m", prediction.radius.metres50, decimals: 1)
        json.field("error_radius_90_m", prediction.radius.metres90, decimals: 1)
        json.field("inputs") { inner in
            inner.field("ascent_rate_mps", prediction.inputs.ascentRate, decimals: 2)
            inner.field("burst_altitude_m", prediction.inputs.burstAltitudeMetres, decimals: 1)
            inner.field("descent_rate_mps", prediction.inputs.descentRate, decimals: 2)
            inner.field("descent_rate_origin", prediction.inputs.descentRateOrigin)
            inner.field("ground_altitude_m", prediction.inputs.groundMetres, decimals: 1)
            inner.field("ground_origin", prediction.inputs.groundOrigin.rawValue)
            inner.field("layers", prediction.inputs.windLayers)
            inner.field("winds") { Self.fields(of: prediction.inputs.winds, in: &$0) }
        }
        json.field("if_burst_now", prediction.landingIfBurstNow) { inner, point in
            inner.place(point)
            inner.field("landing_at", point.time)
        }
        json.field("computed_at", forecast.computedAt.wall)
        json.field("age_ms", Int(now.duration(since: forecast.computedAt.monotonic).wholeMilliseconds))
    }
}

extension JSONText {
    fileprivate mutating func place(_ point: LandingPrediction.PathPoint) {
        fields(of: point.coordinate)
        field("altitude_m", point.altitudeMetres, decimals: 1)
    }
}
