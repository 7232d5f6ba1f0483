import GatewayTestSupport
import ReceiverProtocol
import Testing

@testable import FlightMath
@testable import Gateway
@testable import GatewayReports

/// A restart with a clock that is behind the stored times: only this run's records move when the clock is corrected.
@Suite struct ClockRestartTests {
    /// The machine with its store, which opens when the test says so.
    private struct Restart {
        var script = Script(memory: nil, isClockSynced: false)
        var store = StoreMachine(startedAt: .zero, messageAge: .seconds(172_800))
        var saved: [FlightLogEntry] = []
        private var altitude = 18_000

        init() {
            _ = store.handle(.timePassed, at: .zero)
            record(script.begin)
            record(script.openLink())
        }

        mutating func record(_ outcome: Script.Outcome) {
            for entry in outcome.entries { _ = store.handle(.recorded(entry), at: script.now.monotonic) }
        }

        /// The store opens, and the machine has its memory before the next save.
        mutating func open(_ memory: GatewayMemory) {
            let state = StoredState(memory: memory, lastKey: 0, spooled: 0)
            _ = store.handle(.opened(state), at: script.now.monotonic)
            record(script.run(.recalled(memory)))
            save()
        }

        mutating func save() {
            let now = script.now.monotonic
            // A sync may come first.
            for _ in 0..<3 {
                for action in store.handle(.timePassed, at: now) {
                    if case .sync = action { _ = store.handle(.synced, at: now) }
                    if case .save(let batch) = action {
                        saved += batch.entries
                        _ = store.handle(.saved(SaveResult(spooled: 0, dropped: 0)), at: now)
                    }
                }
            }
        }

        mutating func fly(_ count: Int) {
            for _ in 0..<count {
                script.advance(1)
                altitude -= 8
                record(script.frame(Script.position(altitude: altitude)))
            }
        }

        /// The network sets the clock.
        mutating func setClock(byMilliseconds change: Int64) {
            script.now.wall = script.now.wall.advanced(byMilliseconds: change)
            script.now.isClockSynced = true
            record(script.frame(Script.searching))
            script.advance(1)
            save()
        }

        var shifts: [WallTime] {
            saved.compactMap { if case .clockSet(let step) = $0 { step.since } else { nil } }
        }

        var times: [WallTime] {
            saved.flatMap { if case .points(_, _, let points) = $0 { points.map(\.time) } else { [WallTime]() } }
        }
    }

    /// Another sonde's flight, heard until 146 s after this run's start.
    private static let newest = WallTime(millisecondsSince1970: Script.noon + 146_000)

    private func memory() throws -> GatewayMemory {
        let serial = try #require(SondeSerial(name: "V1234567", type: .rs41))
        let points = (0..<60).map { second in
            TrackPoint(
                time: Self.newest.advanced(byMilliseconds: Int64(second - 59) * 1000),
                coordinate: Coordinate(latitude: 47.37, longitude: 8.54), altitudeMetres: 20_000, source: .ble)
        }
        return GatewayMemory(
            flight: RecordedFlight(serial: serial, sondeType: .rs41, points: points), lastHeard: [serial: Self.newest])
    }

    /// The memory comes before the first frame, after some, and the network sets the clock forwards or backwards.
    @Test(arguments: [0, 5], [600_000, 240_000, 30_000, -600_000] as [Int64])
    func anEarlierFlightStays(_ framesBefore: Int, _ change: Int64) throws {
        var restart = Restart()
        restart.fly(framesBefore)
        restart.open(try memory())
        #expect(restart.shifts.isEmpty)
        restart.fly(5)
        restart.save()
        #expect(restart.times.count > framesBefore)
        #expect(restart.times.allSatisfy { $0 > Self.newest }, "\(restart.times)")
        restart.setClock(byMilliseconds: change)
        #expect(restart.shifts.count == 1 && restart.shifts.allSatisfy { $0 > Self.newest }, "\(restart.shifts)")
    }

    /// The network sets the clock before the store opens.
    @Test func aClockSetBeforeTheMemoryMovesNoEarlierFlight() throws {
        var restart = Restart()
        restart.fly(5)
        restart.setClock(byMilliseconds: 600_000)
        restart.open(try memory())
        #expect(restart.shifts.isEmpty)
        #expect(restart.times.count == 5)
        #expect(restart.times.allSatisfy { $0 > WallTime(millisecondsSince1970: Script.noon + 600_000) })
    }
}
