import FlightMath
import GatewayTestSupport
import ReceiverProtocol
import Testing

@testable import Gateway

/// How the receiver heard the followed sonde is recorded, a sample a second.
@Suite struct SampleLogTests {
    private func samples(_ outcome: Script.Outcome) -> [(serial: SondeSerial, sample: HeardSample)] {
        outcome.entries.compactMap { if case .sample(let serial, let sample) = $0 { (serial, sample) } else { nil } }
    }

    @Test func aSampleASecond() throws {
        var script = Script()
        script.connect()
        script.fix()
        var all = Script.Outcome()
        for tenth in 0..<100 {
            all += script.wait(0.1) + script.frame(Script.position(altitude: 1000 + tenth))
        }
        let taken = samples(all)
        #expect(10...12 ~= taken.count, "\(taken.count)")
        // The fix of the car is soon too old.
        let sample = try #require(taken.first?.sample)
        #expect(taken.allSatisfy { $0.serial.canonical == script.serial && $0.sample.source == .ble })
        #expect(sample.rssiDBm != nil && sample.frequencyMHz != nil && sample.receiverMillivolts != nil)
        let view = try #require(sample.view)
        #expect(view.distanceMetres > 0 && 0..<360 ~= view.azimuthDegrees)
    }

    /// A frame without a position tells how strong the sonde is; without a place of the receiver there is no direction.
    @Test func whatIsUnknownIsLeftOut() throws {
        var script = Script()
        script.connect()
        let first = try #require(samples(script.frame(Script.position())).first)
        #expect(first.sample.view == nil)
        script.fix()
        script.wait(1)
        let nameOnly = samples(script.frame("2/RS41/403.500/\(first.serial.canonical)/101.5/100/0/4260/0/3.10/o"))
        #expect(nameOnly.map(\.sample.rssiDBm) == [-101.5] && nameOnly.first?.sample.view == nil)
        // Nothing of frames without a sonde, and of another one that is not followed.
        script.wait(1)
        #expect(samples(script.frame(Script.searching)).isEmpty)
        script.wait(1)
        #expect(samples(script.frame("2/RS41/403.500/X1234567/90.0/100/0/4260/0/3.10/o")).isEmpty)
    }

    /// A car whose GPS has failed drives on, so its directions would be wrong for good. The configured place is only that
    /// of a box without a car.
    @Test(arguments: [(true, false), (false, true), (false, false)])
    func onlyAFreshPlaceOfACarGivesADirection(_ hadPlace: Bool, _ isConnected: Bool) throws {
        var options = SondeHubOptions.payerne
        options.place = Coordinate(latitude: 47.1, longitude: 8.2)
        var script = Script(sondeHub: options)
        script.connect()
        if isConnected { script.run(.carConnection(.gpsd, isOpen: true)) }
        if hadPlace {
            script.fix()
            #expect(samples(script.frame(Script.position())).last?.sample.view != nil)
            // The receiver is there, and hears nothing.
            for _ in 0..<15 {
                script.wait(1)
                script.frame(Script.searching)
            }
            #expect(script.machine.road.car.position == nil)
        }
        let sample = try #require(samples(script.frame(Script.position())).last?.sample)
        #expect((sample.view != nil) == (!hadPlace && !isConnected))
    }

    /// SondeHub's records bring the weather that the sonde measures.
    @Test func theWeatherOfSondeHub() throws {
        var record = Script.record("V1", at: 0)
        #expect(HeardSample(record) == nil)
        (record.temperatureCelsius, record.humidityPercent) = (-56.5, 12)
        let sample = try #require(HeardSample(record))
        #expect(sample.source == .sondehub && sample.temperatureCelsius == -56.5 && sample.rssiDBm == nil)
    }
}
