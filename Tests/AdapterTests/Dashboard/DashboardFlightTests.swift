import FlightMath
import Foundation
import GatewayReports
import NIOCore
import ReceiverProtocol
import Synchronization
import TestSupport
import Testing

@testable import Dashboard

/// Recorded flights, the diagnosis and the libraries.
@Suite(.timeLimit(.minutes(10))) struct DashboardFlightTests {
    private func ask(_ rig: DashboardRig, _ target: String) async throws -> RawClient {
        try await rig.start()
        let client = try #require(RawClient(port: rig.port))
        client.send("GET \(target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        try await eventually("an answer to \(target)") {
            client.read()
            return client.isClosed.orNil
        }
        return client
    }

    @Test func aRecordedFlightHasTrackProfileAndTheCarsWay() async throws {
        let rig = try await DashboardRig(archive: LongFlight())
        let track = try await ask(rig, "/api/flights/V4210150/track?max=50")
        #expect(track.status == 200 && track.body.contains(#"46.8,6.9,500.0,"ble"]"#))
        let profile = try await ask(rig, "/api/flights/V4210150/profile?max=50")
        #expect(profile.status == 200 && profile.body.contains("[1795314600000,500.0,null,null]"))
        let way = try await ask(rig, "/api/flights/V4210150/car?max=10")
        #expect(way.status == 200 && way.body.hasPrefix("[[1795314600000,46.800000,6.900000,430.0],"), "\(way.body)")
        #expect(way.body.hasSuffix("[1795314699000,46.800000,6.900000,null]]"), "\(way.body)")
        #expect(way.body.split(separator: "\n").count == 11)
        #expect(try await ask(rig, "/api/flights/V4210150/other").status == 404)
        #expect(try await ask(rig, "/api/flights/V4210150/track?max=x").status == 400)
        // No sonde is followed.
        #expect(try await ask(rig, "/api/flights/current/track").status == 404)
        #expect(try await ask(try await DashboardRig(), "/api/flights/V4210150/track").status == 404)
    }

    @Test func theCoverageHasEachDirection() async throws {
        let body = try await ask(try await DashboardRig(archive: LongFlight()), "/api/coverage").body
        #expect(body.hasPrefix(#"{"samples":4,"bands_km":[10,25,50,100,200],"directions":[{"name":"N","#), "\(body)")
        #expect(body.components(separatedBy: #""name":"#).count == HeardCoverage.directions.count + 1)
        let north = #"{"name":"N","bearing_deg":0.0,"heard":0,"farthest_m":null,"horizon_deg":null,"#
        #expect(body.contains(north + #""cells":[null,null,null,null,null,null]}"#), "\(body)")
        let east =
            #"{"name":"E","bearing_deg":90.0,"heard":4,"farthest_m":250000.0,"horizon_deg":null,"cells":[null,"#
            + #"{"samples":3,"mean_rssi_dbm":-97.3},null,null,null,{"samples":1,"mean_rssi_dbm":-120.0}]}"#
        #expect(body.contains(east), "\(body)")
    }

    /// The car's place comes before the configured one.
    @Test func theHorizonIsAroundTheCar() async throws {
        let home = Coordinate(latitude: 46, longitude: 7)
        let ground = AskedGround()
        let rig = try await DashboardRig(terrain: ground, home: home)
        let body = try await ask(rig, "/api/coverage").body
        // The ground rises by a metre a metre.
        let angles = body.matches(of: /"horizon_deg":([0-9.]+)/).compactMap { Double($0.1) }
        #expect(angles.count == HeardCoverage.directions.count, "\(body)")
        #expect(angles.allSatisfy { abs($0 - 45) < 0.2 }, "\(angles)")
        let car = Coordinate(latitude: 47, longitude: 8)
        rig.showCar(at: car)
        _ = try await ask(rig, "/api/coverage")
        #expect(ground.places == [home, car])
    }

    /// Pages that ask from about one place share a horizon. It is read anew after its time, and at another place.
    @Test func aHorizonIsReadOncePerPlace() async {
        let place = Coordinate(latitude: 46, longitude: 7)
        let near = place.moved(east: 60, north: -60)
        let far = place.moved(east: 200, north: 0)
        let ground = AskedGround()
        let kept = HorizonReading(ground, directions: 4, every: .seconds(3600))
        let first = await kept.degrees(around: place)
        #expect(first.count == 4 && !first.contains(nil))
        for same in [place, near] { #expect(await kept.degrees(around: same) == first) }
        #expect(ground.places == [place])
        _ = await kept.degrees(around: far)
        #expect(ground.places == [place, far])
        let old = HorizonReading(ground, directions: 4, every: .zero)
        _ = await old.degrees(around: place)
        _ = await old.degrees(around: place)
        #expect(ground.places == [place, far, place, place])
    }

    @Test func theLogbookTellsFlightsAndDrives() async throws {
        let body = try await ask(try await DashboardRig(archive: LongFlight()), "/api/logbook").body
        #expect(body.hasPrefix(#"{"damaged":false,"flights":[{"serial":"V4210150","sonde_type":"RS41","#), "\(body)")
        for part in [
            #""first_at":"2026-11-22T02:30:00.000Z""#, #""burst":null,"landing":null"#,
            #""drive":{"from":"2026-11-22T02:30:00.000Z","to":"2026-11-22T02:31:39.000Z","driven_m":0.0}"#,
            #""arrived_at":null,"receiver":null,"recovery":null,"note":null}]}"#,
        ] { #expect(body.contains(part), "\(body)") }
        let empty = try await ask(try await DashboardRig(), "/api/logbook")
        #expect(empty.status == 200 && empty.body == #"{"damaged":false,"flights":[]}"#)
    }

    @Test func theLogbookTellsOfADamagedStore() async throws {
        let body = try await ask(try await DashboardRig(archive: LongFlight(isDamaged: true)), "/api/logbook").body
        #expect(body.hasPrefix(#"{"damaged":true,"flights":[{"serial":"V4210150","#), "\(body)")
    }

    /// A flight that can't change any more is read once, a young one each time.
    @Test func anOldFlightIsReadOnce() async throws {
        let archive = CountingArchive()
        let book = Logbook(archive, clock: StoppedClock(WallTime(millisecondsSince1970: 1_795_514_600_000)))
        let first = try await book.entries()
        let reads = archive.pieces
        #expect(try await book.entries() == first && first.count == 1)
        #expect(archive.pieces == reads && reads > 0)
        let young = Logbook(archive, clock: StoppedClock(WallTime(millisecondsSince1970: 1_795_334_600_000)))
        _ = try await young.entries()
        _ = try await young.entries()
        #expect(archive.pieces == 3 * reads)
    }

    /// A flight that can't be read costs no second reading of those before it.
    @Test func aFailedReadingKeepsWhatWasRead() async throws {
        let archive = CountingArchive(flights: 3)
        let book = Logbook(archive, clock: StoppedClock(WallTime(millisecondsSince1970: 1_795_514_600_000)))
        archive.unreadable.withLock { $0 = 3 }
        _ = try? await book.entries()
        let reads = archive.pieces
        archive.unreadable.withLock { $0 = nil }
        #expect(try await book.entries().map(\.flight.id) == [1, 2, 3])
        // Two flights were read before, and one since.
        #expect(reads > 0 && archive.pieces - reads == reads / 2)
    }

    /// All that ask wait for one reading; a failure is not kept.
    @Test func aReadingIsShared() async throws {
        let asked = Mutex(0)
        let reading = SharedReading(every: .seconds(3600)) {
            asked.withLock { $0 += 1 }
            return .success(1)
        }
        async let first = reading.value()
        async let second = reading.value()
        #expect(try await [first, second] == [1, 1])
        #expect(asked.withLock { $0 } == 1)
        let broken = SharedReading<Int>(every: .seconds(3600)) {
            asked.withLock { $0 += 1 }
            return .failure(StoreError(.corrupt, "broken"))
        }
        await #expect(throws: StoreError.self) { _ = try await broken.value() }
        await #expect(throws: StoreError.self) { _ = try await broken.value() }
        #expect(asked.withLock { $0 } == 3)
    }

    @Test func theClimbIsUnknownAfterAGap() {
        let points = [(0, 500.0), (10, 550), (100, 900), (100, 901), (110, 851)].map { second, altitude in
            TrackPoint(
                time: WallTime(millisecondsSince1970: Int64(second) * 1000),
                coordinate: Coordinate(latitude: 46, longitude: 7), altitudeMetres: altitude, source: .ble)
        }
        #expect(
            RecordedFlight.profile(of: points).split(separator: "\n").map { $0.trimmingCharacters(in: [","]) } == [
                "[[0,500.0,null,null]", "[10000,550.0,5.0,null]", "[100000,900.0,null,null]",
                "[100000,901.0,null,null]",
                "[110000,851.0,-5.0,null]]",
            ])
        #expect(RecordedFlight.profile(of: []) == "[]")
    }

    /// Many pages cause one check.
    @Test func theDiagnosisIsAskedOnceForAll() async throws {
        let asked = Mutex(0)
        let diagnosis = Diagnosis {
            asked.withLock { $0 += 1 }
            return [DiagnosisLine(subject: "receiver", isOK: false, text: "is \"off\"")]
        }
        let answers = await withTaskGroup(of: Answer.self) { group in
            for _ in 0..<20 { group.addTask { await diagnosis.answer(Snapshot()) } }
            return await group.reduce(into: [Answer]()) { $0.append($1) }
        }
        #expect(asked.withLock { $0 } == 1)
        for answer in answers {
            guard case .bytes(let bytes) = answer.body else { continue }
            #expect(String(buffer: bytes) == #"[{"subject":"receiver","ok":false,"text":"is \"off\""}]"#)
        }
    }

    @Test func aConnectedReceiverIsNotMissing() async throws {
        let rig = try await DashboardRig(diagnose: {
            [
                DiagnosisLine(subject: "receiver", isOK: false, text: "is off"),
                DiagnosisLine(subject: "clock", isOK: true, text: "is set"),
            ]
        })
        #expect(try await ask(rig, "/api/diagnosis").body.contains("is off"))
        rig.openLink()
        rig.frame()
        let later = try await ask(rig, "/api/diagnosis").body
        #expect(later.contains(#"{"subject":"receiver","ok":true,"text":"is connected"}"#) && !later.contains("is off"))
    }

    /// The page reads its lines of the file that the gateway speaks from, and no others.
    @Test func theLanguagesAreServed() async throws {
        let rig = try await DashboardRig()
        for language in Language.allCases {
            let answer = try await ask(rig, "/languages/\(language.rawValue).txt")
            let file = String(decoding: language.file, as: UTF8.self).split(separator: "\n")
            let lines = file.filter { line in
                ["page.", "board.", "plural =", "decimal ="].contains { line.hasPrefix($0) }
            }
            #expect(answer.status == 200 && lines.count > 300)
            #expect(answer.body == lines.map { $0 + "\n" }.joined())
        }
        #expect(try await ask(rig, "/languages/tlh.txt").status == 404)
    }

    @Test(arguments: PageLibrary.allCases)
    func aLibraryIsServedFromItsPackage(_ library: PageLibrary) async throws {
        let rig = try await DashboardRig()
        #expect(library.isInstalled)
        for (served, _) in library.files {
            #expect(try await ask(rig, "/\(library.rawValue)/\(served)").status == 200, "\(served)")
        }
    }

    /// Without the package of the typeface a page asks in vain, and uses the system's.
    @Test func theTypefaceIsServedWhereItIsInstalled() async throws {
        let isInstalled = PageFont.files(in: PageFont.folder).contains { $0.served == "/b612/Bold.otf" }
        let rig = try await DashboardRig()
        #expect(try await ask(rig, "/b612/Bold.otf").status == (isInstalled ? 200 : 404))
        #expect(try await ask(rig, "/b612/font.css").body.contains("Bold") == isInstalled)
    }
}
