import Foundation
import GatewayTestSupport
import ReceiverProtocol
import TestSupport
import Testing

@testable import FlightMath
@testable import Gateway
@testable import GatewayReports

/// The town of the landing point in its report.
@Suite struct LandingTownTests {
    @Test func theLandingPointHasItsTown() throws {
        var chased = Chased(altitude: 2000, prediction: .ownWindsOnly)
        chased.go(3, up: 5)
        let outcome = chased.script.command(#"{"landing_point":{"latitude":47.212,"longitude":7.396}}"#)
        let before = try #require(outcome.objects(on: "/landing").last)
        #expect(before["near"] is NSNull && before["towards"] is NSNull)
        let town = Coordinate(latitude: 47.192, longitude: 7.396)
        chased.script.run(.townsFound(TownsAround([NamedPlace(name: "Grenchen", coordinate: town, people: 16_000)])))
        let near = try #require(chased.landing?.near)
        #expect(near.name == "Grenchen" && abs(near.metres - 2224) < 20)
        #expect(abs(near.bearingDegrees.remainder(dividingBy: 360)) < 1)
    }
}
