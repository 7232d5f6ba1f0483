import FlightMath
import Foundation
import Gateway
import GatewayReports
import ReceiverProtocol
import SondeHubClient
import TestSupport
import Testing

/// The client with the real Tawhiri: its answers and each of its errors.
@Suite(.timeLimit(.minutes(10)), .serialized) struct TawhiriTests {
    private static func client(_ url: String) throws -> SondeHubClient {
        var configuration = SondeHubClient.Configuration(url: "http://127.0.0.1", userAgent: "sondygo2mqtt/test")
        configuration.tawhiriURL = url
        return try SondeHubClient(configuration)
    }

    /// A launch from Payerne in an hour, with a fraction of a second.
    private static var query: TawhiriQuery {
        let now = Int64(Date().timeIntervalSince1970)
        return TawhiriQuery(
            launch: Coordinate(latitude: 46.82, longitude: 6.94), launchAltitudeMetres: 491,
            launchAt: WallTime(millisecondsSince1970: now * 1000 + 123), ascentRate: 5, burstAltitudeMetres: 30_000,
            descentRate: 5)
    }

    @Test func answersAndRefusals() async throws {
        let tawhiri = try await Tawhiri()
        let client = try Self.client(tawhiri.url)

        // A whole flight. A plain integration of the same winds ends within 300 m.
        let query = Self.query
        let whole = try await client.prediction(for: query)
        let burst = try #require(whole.burst)
        #expect(30_000...30_010 ~= burst.altitudeMetres)
        #expect(abs(whole.landing.coordinate.latitude - 46.811219) < 1e-4)
        #expect(abs(whole.landing.coordinate.longitude - 8.158901) < 1e-4)
        #expect(420...440 ~= whole.landing.altitudeMetres)
        let flown = whole.landing.time.millisecondsSince1970 - query.launchAt.millisecondsSince1970
        #expect(abs(flown - 8_572_000) < 5000, "\(flown) ms")
        #expect(whole.path.first?.time == query.launchAt)
        #expect(whole.path.last == whole.landing)
        #expect(140...150 ~= whole.path.count)
        #expect(zip(whole.path, whole.path.dropFirst()).allSatisfy { $0.time < $1.time })

        // A descent: the burst is just above.
        var falling = query
        falling.launchAltitudeMetres = 20_000
        falling.burstAltitudeMetres = 20_010
        let fall = try await client.prediction(for: falling)
        #expect(fall.path.first?.altitudeMetres == 20_000)
        #expect((fall.burst?.altitudeMetres ?? 0) < 20_030)
        #expect(fall.landing.altitudeMetres < 500)

        // Refusals in Tawhiri's words. A wrong parameter is refused for good.
        var late = query
        late.launchAt = WallTime(millisecondsSince1970: 1_893_456_000_000)
        var low = query
        low.burstAltitudeMetres = 400
        var still = query
        still.ascentRate = 0
        let rows: [(TawhiriQuery, OnlineServiceError.Code, String)] = [
            (late, .status, "HTTP status 500: Prediction did not complete: "),
            (low, .refused, "HTTP status 400: Invalid value for parameter 'burst_altitude': 400.0."),
            (still, .refused, "HTTP status 400: Invalid value for parameter 'ascent_rate': 0.0."),
        ]
        for (query, code, words) in rows {
            let error = await #expect(throws: OnlineServiceError.self) { try await client.prediction(for: query) }
            #expect(error?.code == code)
            #expect(error?.detail.hasPrefix(words) ?? false, "\(error?.detail ?? "")")
        }
        await client.close()
    }

    /// Own winds and Tawhiri on the same winds. The gateway hears one point a minute of Tawhiri's flight. From the
    /// burst on it predicts a landing within a kilometre of Tawhiri's.
    @Test func ownWindsLandThere() async throws {
        let tawhiri = try await Tawhiri()
        let client = try Self.client(tawhiri.url)
        let whole = try await client.prediction(for: Self.query)
        let burst = try #require(whole.burst)
        var options = OwnWindsOptions()
        (options.descentRate, options.descentGrowth) = (Self.query.descentRate, 0)
        var flight = Flight()
        flight.knownGround = Ground(metres: 430, origin: .config)
        var compared: [String] = []
        var isDescending = false
        for point in whole.path {
            if point.time >= burst.time { isDescending = true }
            _ = flight.insert(
                TrackPoint(
                    time: point.time, coordinate: point.coordinate, altitudeMetres: point.altitudeMetres,
                    source: .sondehub))
            let isMoment =
                isDescending
                ? point.time == burst.time || point.altitudeMetres < 20_000 : point.altitudeMetres > 29_000
            guard isMoment, let own = OwnWindsPredictor(options: options).prediction(for: flight) else { continue }
            let metres = own.landing.coordinate.distanceMetres(to: whole.landing.coordinate)
            compared.append("\(Int(point.altitudeMetres)): \(Int(metres))")
            #expect(metres < 1000, "\(point.altitudeMetres) m")
            #expect(abs(own.landing.time.duration(since: whole.landing.time).inSeconds) < 120)
        }
        #expect(compared.count > 20, "\(compared)")
        await client.close()
    }

    /// The winds along Tawhiri's path are kept. With them, the own prediction of a flight that has only begun lands within
    /// a kilometre of Tawhiri's, and later within two; without them it is much further off.
    @Test func theForecastsWindsServeWithoutTawhiri() async throws {
        let tawhiri = try await Tawhiri()
        let client = try Self.client(tawhiri.url)
        let whole = try await client.prediction(for: Self.query)
        let points = whole.path.map { point in
            TrackPoint(
                time: point.time, coordinate: point.coordinate, altitudeMetres: point.altitudeMetres, source: .sondehub)
        }
        let serial = try #require(SondeSerial(name: "V4210150", type: .rs41))
        var options = OwnWindsOptions()
        (options.descentRate, options.descentGrowth) = (Self.query.descentRate, 0)
        let alone = OwnWindsPredictor(options: options)
        options.otherWinds = StoredWinds(
            forecast: points, burstAt: whole.burst?.time, of: serial, at: Self.query.launchAt)
        let joined = OwnWindsPredictor(options: options)
        for height in [2000.0, 5000, 10_000, 20_000] {
            var flight = Flight()
            flight.knownGround = Ground(metres: 430, origin: .config)
            for point in points.prefix(while: { $0.altitudeMetres < height }) { _ = flight.insert(point) }
            let kept = try #require(joined.prediction(for: flight))
            let metres = kept.landing.coordinate.distanceMetres(to: whole.landing.coordinate)
            // At 5000 m it is 1.4 km.
            #expect(metres < (height < 3000 ? 1000 : 2000), "\(height) m: \(metres) m")
            guard height < 12_000, let guess = alone.prediction(for: flight) else { continue }
            #expect(guess.landing.coordinate.distanceMetres(to: whole.landing.coordinate) > 5000)
        }
        await client.close()
    }

    /// Tawhiri's longitudes are 0 ..< 360. It would refuse another with 400; without winds it answers 500 in HTML.
    @Test(arguments: [-6.94, -180, 0, 179.999_999_9, -1e-9]) func longitudesAreSentAs0To360(_ longitude: Double)
        async throws
    {
        let tawhiri = try await Tawhiri(without: .winds)
        let client = try Self.client(tawhiri.url)
        var query = Self.query
        query.launch.longitude = longitude
        let error = await #expect(throws: OnlineServiceError.self) { try await client.prediction(for: query) }
        #expect(error == OnlineServiceError(.status, "HTTP status 500"))
        await client.close()
    }

    /// Tawhiri answers with HTML.
    @Test func aTawhiriWithoutElevationsIsAnError() async throws {
        let tawhiri = try await Tawhiri(without: .ground)
        let client = try Self.client(tawhiri.url)
        let error = await #expect(throws: OnlineServiceError.self) { try await client.prediction(for: Self.query) }
        #expect(error == OnlineServiceError(.status, "HTTP status 500"))
        await client.close()
    }
}
