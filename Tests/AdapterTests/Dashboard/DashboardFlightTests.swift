import FlightMath
import FlightStore
import Foundation
import Gateway
import ReceiverProtocol
import TestSupport
import Testing

/// The page's requests for recorded flights.
@Suite(.timeLimit(.minutes(10))) struct DashboardFlightTests {
    private static let start: Int64 = 1_795_314_600_000

    private func get(_ rig: DashboardRig, _ target: String) async throws -> RawClient {
        try await rig.start()
        let client = try #require(RawClient(port: rig.port))
        client.send("GET \(target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        try await eventually("an answer to \(target)") {
            client.read()
            return client.isClosed.orNil
        }
        return client
    }

    /// A store with a flight of three points for each of the sondes.
    private func rig(_ names: [String]) async throws -> DashboardRig {
        let path = try temporaryDirectory().path + "/gateway.sqlite"
        let bounds = StoreBounds(messages: 10, messageHours: 1, flightDays: 3650, megabytes: 500)
        let store = FlightStore(path: path, bounds: bounds) { _ in }
        let points = (0..<3).map { second in
            TrackPoint(
                time: WallTime(millisecondsSince1970: Self.start + second * 1000),
                coordinate: Coordinate(latitude: 47, longitude: 7.5), altitudeMetres: 500, source: .ble)
        }
        for name in names {
            let serial = try #require(SondeSerial(name: name, type: .imet4))
            _ = try await store.save(StoreBatch(entries: [.points(serial, .imet4, points)]), now: nil)
        }
        return try await DashboardRig(archive: FlightReader(path: path))
    }

    /// Serials in the form of the page's links.
    @Test(arguments: [
        ("AB CD", "AB%20CD"), ("AB%CD", "AB%25CD"), ("A?B", "A%3FB"), ("#1A", "%231A"),
        ("AB.C", "AB.C"), ("A+B", "A+B"), ("V4210150", "V4210150"),
    ])
    func percentEncodedSerialsAreFound(_ serial: String, _ encoded: String) async throws {
        let rig = try await rig([serial])
        let file = try await get(rig, "/flights/\(encoded).csv")
        #expect(file.status == 200)
        #expect(file.text.contains("filename=\""))
    }

    @Test(arguments: [
        "AB%2", "AB%", "AB%G0CD", "AB%2FCD", "AB%2fCD", "AB%00CD", "AB%0D%0ACD", "AB%7FCD", "AB%C2%85CD", "AB%FFCD",
        "AB%2520CD",
    ])
    func wrongSerialsAreRefused(_ encoded: String) async throws {
        let rig = try await rig(["AB CD"])
        #expect(try await get(rig, "/flights/\(encoded).csv").status == 404)
    }

    /// Returns only later points, and none for a time far in the future.
    @Test(arguments: [
        ("", 3), ("?since=-1", 3), ("?since=-99999999999999999999", 3), ("?since=\(start)", 2),
        ("?since=\(start + 2000)", 0), ("?since=9223372036854775807", 0), ("?since=9223372036854775808", 0),
        ("?since=99999999999999999999&max=99999999999999999999", 0), ("?max=99999999999999999999", 3),
    ])
    func trackSinceReturnsLaterPointsOnly(_ query: String, _ count: Int) async throws {
        let rig = try await rig(["V4210150"])
        rig.openLink()
        rig.frame()
        let track = try await get(rig, "/api/track" + query)
        #expect(track.status == 200)
        #expect(track.body.components(separatedBy: "\(Self.start / 100_000)").count - 1 == count, "\(track.body)")
    }

    @Test(arguments: ["since=1e15", "since=", "since=x", "since=1.5", "since=-", "since=0x10", "max=many", "max=1e3"])
    func wrongNumbersAreRefused(_ query: String) async throws {
        let refused = try await get(try await rig(["V4210150"]), "/api/track?" + query)
        #expect(refused.status == 400)
        #expect(refused.body.contains("must be a whole number"))
    }

    /// The answer must not contain the store's path.
    @Test(arguments: ["/api/flights", "/flights/V4210150.csv", "/flights/current.csv", "/api/track", "/dynamic.kml"])
    func aMissingStoreAnswers503WithoutItsPath(_ target: String) async throws {
        let folder = try temporaryDirectory().path
        let rig = try await DashboardRig(archive: FlightReader(path: folder + "/gateway.sqlite"))
        rig.openLink()
        rig.frame()
        let refused = try await get(rig, target)
        #expect(refused.status == 503)
        #expect(refused.body == "the recorded flights can't be read: read_only\n")
        #expect(!refused.text.contains(folder))
    }
}
