import GatewayTestSupport
import ReceiverProtocol
import Testing

@testable import Gateway
@testable import GatewayReports

/// The car's position on SondeHub: never without a call sign, only during a hunt, and removed afterwards.
@Suite struct CarSharingTests {
    private static let on = CarSharingOptions(callSign: "HB9XYZ", interval: .seconds(30))

    private func shared(_ outcome: Script.Outcome) -> [(id: CallID, car: SharedCar)] {
        outcome.actions.compactMap { if case .call(let id, .shareCar(let car)) = $0 { (id, car) } else { nil } }
    }

    /// Flies with a fix every second.
    /// - Parameter answer: the answer to each upload.
    @discardableResult
    private func fly(
        _ script: inout Script, seconds: Int, hasFix: Bool = true, answer: Answer? = .carShared
    ) -> (uploads: [SharedCar], announcements: [Announcement]) {
        var uploads: [SharedCar] = []
        var announcements: [Announcement] = []
        for second in 0..<seconds {
            var outcome = script.wait(1)
            outcome += script.frame(Script.position(altitude: 1000 + second))
            if hasFix { outcome += script.fix() }
            announcements += outcome.announcements
            for (id, car) in shared(outcome) {
                uploads.append(car)
                if let answer { announcements += script.run(.answered(id, answer)).announcements }
            }
        }
        return (uploads, announcements)
    }

    @Test func theCarIsSharedEveryHalfMinuteOfAHunt() {
        var script = Script(carSharing: Self.on)
        script.connect()
        // A fix without a flight is not published.
        let idle = (0..<60).flatMap { _ in
            shared(script.wait(1) + script.frame(Script.searching) + script.fix())
        }
        #expect(idle.isEmpty)
        let (uploads, announcements) = fly(&script, seconds: 95)
        #expect(uploads.count == 4)
        #expect(
            uploads.allSatisfy { $0.callSign == "HB9XYZ" && $0.coordinate == Script.car && $0.altitudeMetres == 430 })
        #expect(announcements.filter { $0.name == "car_public" } == [.carPublic("HB9XYZ")])
        // The sonde falls silent.
        let silent = (0..<600).flatMap { _ in shared(script.wait(1) + script.fix()) }
        #expect(silent.count <= 1)
    }

    @Test func neverWithoutACallSignAFixOrSondeHub() {
        for (options, hasFix) in [
            (CarSharingOptions(), true), (Self.on, false),
            (CarSharingOptions(callSign: "HB9XYZ", mayAsk: false), true),
        ] {
            var script = Script(carSharing: options)
            script.connect()
            let (uploads, announcements) = fly(&script, seconds: 70, hasFix: hasFix)
            #expect(uploads.isEmpty)
            #expect(!announcements.contains { $0.name == "car_public" })
        }
    }

    /// With sharing off, the position of an earlier run is removed once. Nothing else is sent.
    @Test func switchingOffRemovesTheCar() throws {
        let memory = GatewayMemory(settings: [.sharedCar: "HB9XYZ"])
        var script = Script(memory: memory)
        let first = shared(script.begin)
        #expect(first.map(\.car) == [SharedCar(callSign: "HB9XYZ", coordinate: nil, altitudeMetres: nil)])
        let fault = OnlineServiceError(.status, "HTTP status 500")
        script.run(.answered(try #require(first.first?.id), .failed(fault)))
        let again = shared(script.wait(61))
        #expect(again.count == 1)
        let done = script.run(.answered(try #require(again.first?.id), .carShared))
        #expect(done.announcements == [.carHidden("HB9XYZ")])
        #expect(done.entries == [.setting(.sharedCar, nil)])
        script.connect()
        let (uploads, _) = fly(&script, seconds: 100)
        #expect(uploads.isEmpty)
    }

    /// When a changed configuration switches sharing off, the position is removed at once, and only once.
    @Test func switchedOffWhileItRuns() throws {
        var script = Script(carSharing: Self.on)
        script.connect()
        #expect(fly(&script, seconds: 40).uploads.count == 2)
        let off = script.run(.carSharingChanged(CarSharingOptions()))
        let back = shared(off)
        #expect(back.map(\.car) == [SharedCar(callSign: "HB9XYZ", coordinate: nil, altitudeMetres: nil)])
        let done = script.run(.answered(try #require(back.first?.id), .carShared))
        #expect(done.announcements == [.carHidden("HB9XYZ")])
        #expect(done.entries.contains(.setting(.sharedCar, nil)))
        #expect(fly(&script, seconds: 100).uploads.isEmpty)
        // When it is on again, the position is published and announced at once.
        let again = script.run(.carSharingChanged(Self.on))
        #expect(shared(again).count == 1)
        #expect(again.announcements == [.carPublic("HB9XYZ")])
    }

    /// The removal waits for the answer to an upload in flight, so that the upload can't arrive after the removal.
    @Test func switchedOffDuringAnUpload() throws {
        var script = Script(carSharing: Self.on)
        script.connect()
        var upload: CallID?
        for second in 0..<5 where upload == nil {
            let outcome = script.wait(1) + script.frame(Script.position(altitude: 1000 + second)) + script.fix()
            upload = shared(outcome).first?.id
        }
        #expect(shared(script.run(.carSharingChanged(CarSharingOptions()))).isEmpty)
        let answered = script.run(.answered(try #require(upload), .carShared))
        #expect(shared(answered).map(\.car.coordinate) == [nil])
    }

    /// A stop of the gateway does not remove the position.
    @Test func aStopDoesNotRemoveTheCar() {
        var script = Script(carSharing: Self.on)
        script.connect()
        fly(&script, seconds: 5)
        #expect(shared(script.run(.stopping)).isEmpty)
    }

    /// Health counts uploads and failures.
    @Test func healthCountsTheUploads() throws {
        var script = Script(carSharing: Self.on)
        script.connect()
        fly(&script, seconds: 65)
        let health = script.run(.healthDue(ProcessHealth())).objects(on: "/health")
        let feeds = try #require(health.last?["feeds"] as? [String: [String: Int]])
        #expect(feeds["chase_car"] == ["clients": 1, "messages": 3, "drops": 0])
        var without = Script()
        without.connect()
        let none = without.run(.healthDue(ProcessHealth())).objects(on: "/health")
        #expect((none.last?["feeds"] as? [String: Any])?.isEmpty == true)
    }

    /// With SondeHub off it gets no request. The gateway still remembers what is public.
    @Test func withoutSondeHubNothingIsAsked() {
        let memory = GatewayMemory(settings: [.sharedCar: "HB9XYZ"])
        var script = Script(carSharing: CarSharingOptions(mayAsk: false), memory: memory)
        #expect(shared(script.begin).isEmpty)
        #expect(shared(script.wait(600)).isEmpty)
    }

    /// With another call sign the old position is removed first.
    @Test func anotherNameReplacesTheFirst() {
        let memory = GatewayMemory(settings: [.sharedCar: "OLD1"])
        var script = Script(carSharing: Self.on, memory: memory)
        #expect(shared(script.begin).map(\.car.callSign) == ["OLD1"])
        if let id = shared(script.begin).first?.id { script.run(.answered(id, .carShared)) }
        script.connect()
        let (uploads, announcements) = fly(&script, seconds: 61)
        #expect(Set(uploads.map(\.callSign)) == ["HB9XYZ"])
        #expect(announcements.contains(.carPublic("HB9XYZ")))
    }

    /// A service that fails or never answers gets one request at a time.
    @Test func faultsKeepTheInterval() {
        var script = Script(carSharing: Self.on)
        script.connect()
        #expect(fly(&script, seconds: 100, answer: nil).uploads.count == 1)
        var failing = Script(carSharing: Self.on)
        failing.connect()
        let fault = Answer.failed(OnlineServiceError(.status, "HTTP status 500"))
        #expect(fly(&failing, seconds: 95, answer: fault).uploads.count == 4)
    }

    @Test func theLastShareOutlivesARestart() {
        var script = Script(carSharing: Self.on)
        script.connect()
        var entries: [FlightLogEntry] = []
        for second in 0..<5 {
            entries += (script.wait(1) + script.frame(Script.position(altitude: 1000 + second)) + script.fix()).entries
        }
        #expect(entries.contains(.setting(.sharedCar, #"{"callSign":"HB9XYZ"}"#)))
    }
}
