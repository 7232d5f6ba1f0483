import FlightMath
import Gateway
import GatewayReports
import ReceiverProtocol
import SondeHubProtocol
import Testing

/// SondeHub's launch sites. The fixtures are made up after the server's source.
@Suite struct SiteFormatTests {
    private static let payerne = """
        "06610":{"station":"06610","rs_types":[["41","404.300"]],"position":[6.94,46.81],"alt":490,\
        "station_name":"Payerne","times":["0:11:00","0:23:00"],"burst_altitude":33000,"burst_std":2500,\
        "ascent_rate":5.2,"descent_rate":"6.1","descent_std":0.8}
        """

    private static func decode(_ text: String) throws -> [LaunchSite] { try SiteFormat.decode(Array(text.utf8)) }

    @Test func wholeSite() throws {
        let site = try #require(try Self.decode("{\(Self.payerne)}").first)
        #expect(site.id == "06610" && site.name == "Payerne" && site.altitudeMetres == 490)
        #expect(site.coordinate == Coordinate(latitude: 46.81, longitude: 6.94))
        #expect(site.times.map(\.minutes) == [660, 1380])
        #expect(site.burstAltitudeMetres == 33_000 && site.ascentRate == 5.2 && site.descentRate == 6.1)
        #expect(site.burstSpread == 2500 && site.descentSpread == 0.8)
        #expect(site.tunings == [try #require(Tuning(frequencyMHz: 404.3, sondeType: .rs41))])
    }

    /// `rs_types` -> frequencies and types.
    @Test(
        arguments: [
            (#"["41"]"#, []), (#"[["77","403.5"],["17",402.7]]"#, ["403.5 M10", "402.7 DFM"]),
            (#"[["41"],["99","404"],["41","x"],[],"41",null,[["41","404"]],["63","404.1","x"]]"#, ["404.1 M20"]),
            (#"{"41":"404"}"#, []), ("null", []),
        ] as [(String, [String])])
    func tunings(_ types: String, _ expected: [String]) throws {
        let site = try #require(try Self.decode(#"{"1":{"position":[7,47],"rs_types":\#(types)}}"#).first)
        #expect(site.tunings.map { "\($0.frequencyMHz) \($0.sondeType.name)" } == expected)
    }

    /// Only id and position are needed; odd members cost nothing else.
    @Test func oddSites() throws {
        let text = """
            {"-3":{"position":[-1.2,44.3],"times":["x",7,null,"3:06:30"],"alt":"15","burst_altitude":-5,\
            "ascent_rate":null,"rs_types":["17"],"notes":{"a":[1]}},"1":{"position":[1]},"2":{"position":["a",1]},\
            "3":{},"4":7,"5":{"position":[7,91]},"6":{"position":null},\(Self.payerne)}
            """
        let sites = try Self.decode(text)
        #expect(sites.map(\.id) == ["-3", "06610"])
        #expect(sites[0].name == "-3" && sites[0].altitudeMetres == 15)
        #expect(sites[0].times.map(\.minutes) == [390] && sites[0].times.map(\.weekday) == [3])
        #expect(sites[0].burstAltitudeMetres == nil && sites[0].ascentRate == nil)
    }

    @Test func limits() throws {
        let times = Array(repeating: "\"0:11:00\"", count: 500).joined(separator: ",")
        let site = try #require(
            try Self.decode(
                "{\"1\":{\"position\":[7,47],\"station_name\":\"\(String(repeating: "x", count: 900))\",\"times\":[\(times)]}}"
            ).first)
        #expect(site.times.count == LaunchSite.mostTimes && site.name.count == 80)
        #expect(try Self.decode("{}") == [])
    }

    @Test(arguments: [
        ("{\"message\":\"Internal Server Error\"}", OnlineServiceError.Code.status), ("[]", .refused),
        ("soon", .refused),
        ("{\"06610\":{\"position\":[6", .malformed),
    ])
    func errors(_ text: String, _ code: OnlineServiceError.Code) {
        #expect { try Self.decode(text) } throws: { ($0 as? OnlineServiceError)?.code == code }
    }
}
