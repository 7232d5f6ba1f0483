import ReceiverProtocol
import Testing

@testable import FlightMath
@testable import GatewayReports

/// Every sentence that people read or hear, word by word.
@Suite struct PhrasebookTests {
    static let here = Coordinate(latitude: 47, longitude: 8)
    private static let noon = WallTime(millisecondsSince1970: 1_767_268_800_000)
    private static let (serial, tuning): (SondeSerial, Tuning) = {
        guard let serial = SondeSerial(name: "V4210150", type: .rs41),
            let tuning = Tuning(frequencyMHz: 403.5, sondeType: .rs41)
        else { preconditionFailure("a valid serial and frequency") }
        return (serial, tuning)
    }()
    static let car = CarPosition(
        source: .gpsd, coordinate: here, courseDegrees: 90, time: noon,
        heardAt: .zero)

    static func point(_ altitude: Double, east: Double = 0, north: Double = 0) -> TrackPoint {
        TrackPoint(
            time: noon, coordinate: here.moved(east: east, north: north),
            altitudeMetres: altitude, source: .ble)
    }

    static let town = NearbyTown(name: "Grenchen", metres: 2000, bearingDegrees: 0)

    private static func goal(_ metres: Double) -> Coordinate { here.moved(east: metres, north: 0) }

    private static func report(_ state: RecoveryState) -> Recovery {
        Recovery(serial, state, by: "HB9XYZ", at: noon, coordinate: here, altitudeMetres: 430)
    }

    private static func score(at15Minutes: Double?) -> LandingScore {
        var score = LandingScore([:], landing: point(500))
        score.errors = [
            .ownWinds: LandingScore.Errors(last: 340, at5Minutes: 600, at15Minutes: at15Minutes, at30Minutes: nil),
            .sondehub: LandingScore.Errors(last: 900, at5Minutes: nil, at15Minutes: 2400, at30Minutes: nil),
        ]
        if at15Minutes == nil { score.errors[.sondehub] = nil }
        return score
    }

    /// Serials are spelled in pairs, and the sentences are short: a voice needs 3.1, 5, 5 and 5 s for them. The whole
    /// sentences took up to 12 s.
    @Test func speech() throws {
        let m20 = try #require(SondeSerial(name: "501-2-00017", type: .m20))
        let said: [(Announcement, String)] = [
            (.receiverOnline(name: "MySondyGO", firmware: "3.10"), "Receiver MySondyGO online."),
            (.sondeChanged(to: Self.serial, from: nil, type: .rs41), "First sonde V 4, 2 1, 0 1, 5 0."),
            (.sondeChanged(to: m20, from: Self.serial, type: .m20), "New sonde 5 0, 1 2, 0 0, 0 1, 7."),
            (.flightResumed(Self.serial, last: Self.point(500)), "Resuming the flight of V 4, 2 1, 0 1, 5 0."),
            (.carPublic("HB9XYZ"), "Your car's position is public on SondeHub now, as H B, 9 X, Y Z."),
            (.burst(Self.point(31_020)), "Burst at 31 kilometres."),
        ]
        for (announcement, words) in said {
            #expect(Language.english.phrasebook.speech(for: announcement, from: nil) == words)
        }
        // The speech is published only if it differs from the text.
        let now = Moment(monotonic: .zero, wall: Self.noon, isClockSynced: true)
        let burst = AnnouncementReport(announcement: .burst(Self.point(500)), at: now).payload
        #expect(String(decoding: burst, as: UTF8.self).contains(#""speech":null"#))
    }

    /// Ordered by importance, the least important first. The car's course is east.
    static let english: [(EventName.Importance, Announcement, String)] = [
        (.normal, .receiverOnline(name: "MySondyGO", firmware: "3.10"), "Receiver MySondyGO online, firmware 3.10."),
        (
            .normal,
            .landingMoved(to: SpokenLanding(goal(14_000), radius50Metres: 3000), metres: 1240, degrees: 44),
            "The landing point has moved 1.2 kilometres north-east. Now 14 kilometres ahead, give or take 3."
        ),
        (
            .normal,
            .landingMoved(
                to: SpokenLanding(goal(45_000), radius50Metres: 54_000, town: town), metres: 316, degrees: 268),
            "The landing point has moved 320 metres west. Now somewhere within 54 kilometres of Grenchen."
        ),
        (
            .normal, .landingMoved(to: SpokenLanding(goal(730), radius50Metres: 5200), metres: 7900, degrees: 268),
            "The landing point has moved 7.9 kilometres west. Now somewhere within 5.2 kilometres of here."
        ),
        (
            .normal,
            .firstPrediction(SpokenLanding(goal(14_000), timeToGo: .seconds(2470), radius50Metres: 3000, town: town)),
            "Lands in 41 minutes, 14 kilometres ahead, give or take 3."
        ),
        (
            .normal,
            .firstPrediction(
                SpokenLanding(goal(45_000), timeToGo: .seconds(3780), radius50Metres: 54_000, town: town)),
            "Lands in 63 minutes, somewhere within 54 kilometres of Grenchen."
        ),
        (
            .normal, .firstPrediction(SpokenLanding(goal(45_000), timeToGo: .seconds(29), radius50Metres: 54_000)),
            "Lands in less than a minute, somewhere within 54 kilometres of here."
        ),
        (.normal, .firstPrediction(SpokenLanding(goal(200))), "Lands 200 metres ahead."),
        (
            .normal, .firstPrediction(SpokenLanding(goal(2000), radius50Metres: 300, isCrossing: true)),
            "The bearings cross 2 kilometres ahead, give or take 300 metres."
        ),
        (.normal, .below10km(point(9990)), "The sonde is below 10 kilometres."),
        (.normal, .altitude(metres: 15_000, isRising: true), "Climbing through 15 kilometres."),
        (.normal, .altitude(metres: 1000, isRising: false), "Falling through 1 kilometre."),
        (.normal, .receiverBatteryLow(percent: 18, volts: nil), "The receiver's battery is at 18 percent."),
        (.normal, .receiverBatteryLow(percent: nil, volts: 3.42), "The receiver's battery is at 3.4 volts."),
        (
            .normal,
            .status(
                SpokenStatus(
                    .inTheAir, verticalSpeed: -12.2, altitudeMetres: 4312, timeToGo: .seconds(540),
                    landing: here.moved(east: 9900, north: 9900), margin: .seconds(180))),
            "Falling at 12 metres per second, 4300 metres high. Lands in 9 minutes, 14 kilometres ahead, half left."
                + " You arrive 3 minutes before it."
        ),
        (
            .normal,
            .status(
                SpokenStatus(
                    .inTheAir, verticalSpeed: 5.1, altitudeMetres: 23_400, timeToGo: .seconds(4000),
                    margin: .seconds(-300), isStraight: true)),
            "Climbing at 5 metres per second, 23 kilometres high. Lands in 67 minutes. You arrive about 5 minutes after it."
        ),
        (.normal, .status(SpokenStatus(.inTheAir, altitudeMetres: 800)), "800 metres high."),
        (
            .normal,
            .status(
                SpokenStatus(
                    .inTheAir, verticalSpeed: 5.1, altitudeMetres: 9012, timeToGo: .seconds(3780),
                    landing: goal(45_000), radius50Metres: 54_000, town: town, margin: .seconds(60))),
            "Climbing at 5 metres per second, 9000 metres high. Lands in 63 minutes, somewhere within 54 kilometres of"
                + " Grenchen."
        ),
        (
            .normal, .status(SpokenStatus(.inTheAir, landing: goal(2000))),
            "The sonde is in the air. Lands 2 kilometres ahead."
        ),
        (
            .normal, .status(SpokenStatus(.inTheAir, timeToGo: .seconds(29))),
            "The sonde is in the air. Lands in less than a minute."
        ),
        (.normal, .status(SpokenStatus(.inTheAir)), "The sonde is in the air."),
        (.normal, .status(SpokenStatus(.unknown)), "Nobody hears the sonde."),
        (.normal, .status(SpokenStatus(.heardWithoutPlace)), "The receiver hears the sonde, but no place."),
        (
            .normal, .status(SpokenStatus(.onTheGround, landing: goal(-3400), drive: .seconds(420))),
            "On the ground, 3.4 kilometres behind. You arrive in 7 minutes."
        ),
        (
            .normal, .status(SpokenStatus(.probablyOnTheGround, landing: goal(2))),
            "Probably on the ground here."
        ),
        (
            .normal, .status(SpokenStatus(.inTheAir, altitudeMetres: 2000, margin: .seconds(-20))),
            "2000 metres high. You arrive at the same time."
        ),
        (.normal, .distance(metres: 5000, to: goal(5000)), "5 kilometres to go, straight ahead."),
        (.normal, .distance(metres: 2000, to: goal(2000)), "2 kilometres to go, straight ahead."),
        (.normal, .distance(metres: 1000, to: goal(1000)), "1 kilometre to go, straight ahead."),
        (.normal, .distance(metres: 500, to: goal(500)), "500 metres to go, straight ahead."),
        (.normal, .distance(metres: 200, to: goal(-200)), "200 metres to go, behind."),
        (
            .normal, .scored(score(at15Minutes: 1234)),
            "The prediction was 1.2 kilometres off 15 minutes before landing."
        ),
        (.normal, .scored(score(at15Minutes: nil)), "The last prediction was 340 metres off."),
        (.normal, .crewAtSonde("HB9ABC"), "HB9ABC is at the sonde."),
        (.normal, .noRoadNear(metres: 3400), "No road near the landing point: the last one ends 3.4 kilometres away."),
        (
            .high, .arrival(margin: .seconds(-240), isNoRoadNear: false), "You will arrive 4 minutes after the landing."
        ),
        (.high, .switchesOff(at: noon, in: .seconds(1800)), "The sonde switches itself off in 30 minutes."),
        (.high, .arrival(margin: .seconds(62), isNoRoadNear: false), "You will arrive 1 minute before the landing."),
        (
            .high, .arrival(margin: .seconds(600), isNoRoadNear: true),
            "You will reach the road's end 10 minutes before the landing. No road near the landing point."
        ),
        (
            .high, .arrival(margin: .seconds(-240), isNoRoadNear: false, isStraight: true),
            "In a straight line you would arrive 4 minutes after the landing."
        ),
        (.high, .burst(point(31_204)), "Burst at 31 kilometres."),
        (
            .high,
            .burst(
                point(31_204), landing: SpokenLanding(goal(14_000), timeToGo: .seconds(2280), radius50Metres: 3000)),
            "Burst at 31 kilometres. Lands in 38 minutes, 14 kilometres ahead, give or take 3."
        ),
        (.high, .receiverLost(.silent), "Receiver lost: no valid frame for 15 seconds."),
        (
            .highest, .landed(point(512, east: 2404, north: 2404)),
            "The sonde has landed 3.4 kilometres ahead, half left."
        ),
        (.highest, .landed(point(512, east: -4)), "The sonde has landed here."),
        (.highest, .landed(point(512, east: 2404), .unknown), "The sonde is on the ground, 2.4 kilometres ahead."),
        (.highest, .landed(point(512, east: 300), .estimated), "The sonde has landed 300 metres ahead."),
        (
            .highest, .landedInSilence(lastHeard: point(1512), guess: here.moved(east: -350, north: 0)),
            "No position any more: the sonde has probably landed 350 metres behind."
        ),
        (.normal, .receiverOnline(name: "MySondyGO", firmware: nil), "Receiver MySondyGO online."),
        (
            .high, .receiverLost(.transport(TransportError(.closedByPeer, "the device went away"))),
            "Receiver lost: the device went away."
        ),
        (
            .low, .adapterRepaired(withoutLink: .seconds(90)),
            "No receiver for 90 seconds: switching the Bluetooth adapter off and on."
        ),
        (
            .normal, .advice(.replugAdapter),
            "Unplug the Bluetooth adapter and plug it in again, or restart the gateway's computer."
        ),
        (.normal, .advice(.restartReceiver), "Switch the receiver off and on, and bring it closer."),
        (.normal, .advice(.checkBattery), "The receiver keeps restarting. Check its battery."),
        (.normal, .advice(.checkPower), "The receiver keeps restarting. Check its power supply and its cable."),
        (
            .normal, .advice(.checkConnection),
            "The connection to the receiver keeps breaking. Check the cable or the network."
        ),
        (.normal, .advice(.plugIn), "The receiver's cable or Bluetooth adapter is missing. Plug it in."),
        (
            .low, .smallPackets(mtu: 23),
            "The receiver's Bluetooth packets hold only 20 bytes: long frames arrive in pieces or cut off."
        ),
        (
            .low, .aprsNames,
            "The receiver shows APRS names. Set aprsName to 0 for serials that match SondeHub's."
        ),
        (.low, .stateChanged(.startup, from: .startup, .started), "The gateway is starting."),
        (
            .low, .stateChanged(.liveBLEFlying, from: .startup, .receiverTelemetry),
            "The receiver hears the sonde."
        ),
        (
            .low, .stateChanged(.liveBLELanded, from: .liveBLEFlying, .landed),
            "The receiver hears the sonde, which is on the ground."
        ),
        (
            .low, .stateChanged(.waitingForAPRS, from: .liveBLEFlying, .receiverTelemetryLost),
            "The receiver lost the sonde."
        ),
        (.low, .stateChanged(.aprsFlying, from: .waitingForAPRS, .sondeHubTelemetry), "SondeHub has the sonde."),
        (
            .low, .stateChanged(.aprsLanded, from: .aprsFlying, .landed),
            "SondeHub has the sonde, which is on the ground."
        ),
        (
            .low, .stateChanged(.aprsLanded, from: .aprsFlying, .sondeHubSilent),
            "SondeHub last had the sonde in the air."
        ),
        (.low, .stateChanged(.noTelemetry, from: .waitingForAPRS, .timedOut), "Nobody hears the sonde."),
        (
            .low, .stateChanged(.noTelemetry, from: .waitingForAPRS, .noPosition),
            "The receiver hears the sonde, but no place."
        ),
        (
            .low, .stateChanged(.noTelemetry, from: .aprsFlying, .stopping),
            "No telemetry: the gateway is stopping."
        ),
        (.normal, .sondeChanged(to: serial, from: nil, type: .rs41), "First sonde V4210150, type RS41."),
        (.normal, .sondeChanged(to: serial, from: serial, type: nil), "New sonde V4210150, after V4210150."),
        (.normal, .sondeChanged(to: serial, from: serial, type: nil, isLongAfter: true), "New sonde V4210150."),
        (.low, .flightResumed(serial, last: point(12_000)), "Resuming the flight of V4210150."),
        (
            .highest, .landingRevoked(point(2400)), "The sonde is still falling: it has not landed."
        ),
        (.high, .burstRevoked(point(31_204)), "The balloon is climbing again: it has not burst."),
        (.high, .moved(point(512)), "Somebody is moving the sonde."),
        (.high, .recoveryReported(report(.planned), isOwn: false), "HB9XYZ plans to recover the sonde."),
        (.high, .recoveryReported(report(.recovered), isOwn: false), "HB9XYZ has recovered the sonde."),
        (.high, .recoveryReported(report(.notFound), isOwn: false), "HB9XYZ has not found the sonde."),
        (.high, .recoveryReported(report(.planned), isOwn: true), "SondeHub shows that you plan to recover the sonde."),
        (
            .high, .recoveryReported(report(.recovered), isOwn: true),
            "SondeHub shows that you have recovered the sonde."
        ),
        (.high, .recoveryReported(report(.notFound), isOwn: true), "SondeHub shows that you have not found the sonde."),
        (.high, .airborne, "The sonde is in the air again."),
        (
            .low, .trackTruncated(TrackTruncation(count: 31, reason: .landed, boundary: noon)),
            "Left out 31 track points after the landing."
        ),
        (
            .low, .trackTruncated(TrackTruncation(count: 1, reason: .newFlight, boundary: noon)),
            "Left out 1 track point from the previous flight."
        ),
        (.normal, .scored(LandingScore([:], landing: point(500))), "No prediction could be judged."),
        (.normal, .distance(metres: .nan, to: goal(0)), "An unknown distance to go, to the left."),
        (
            .normal, .landingMoved(to: SpokenLanding(goal(0)), metres: 12_345, degrees: .infinity),
            "The landing point has moved 12 kilometres in an unknown direction. Now here."
        ),
        (
            .normal, .frequencyProposal(tuning),
            "The sonde transmits on 403.5 megahertz, type RS41. Tune the receiver?"
        ),
        (.normal, .frequencyTuned(tuning), "Tuning the receiver to 403.5 megahertz, type RS41."),
        (
            .normal, .storeFailed(StoreError(.full, "no space is left")),
            "Recording has stopped, live data continues. The store reports: no space is left."
        ),
        (.low, .storeRecovered, "Recording again: the store works."),
        (.normal, .storeReplaced("The store was damaged."), "The store was damaged."),
        (.normal, .carPublic("HB9XYZ"), "Your car's position is public on SondeHub now, as HB9XYZ."),
        (.normal, .searchFound(tuning), "The receiver hears a sonde on 403.5 megahertz, type RS41."),
        (
            .normal,
            .launchNear("Payerne", at: noon.advanced(byMilliseconds: -2_700_000), metres: 18_200, landing: nil),
            "The 12 UTC sonde from Payerne should land 18 kilometres from here."
        ),
        (
            .normal, .launchNear("Payerne", at: noon.advanced(byMilliseconds: -5_400_000), metres: 3400, landing: nil),
            "The 11:15 UTC sonde from Payerne should land 3.4 kilometres from here."
        ),
        (
            .normal, .recoveryRejected(serial, .unknownSonde, why: "HTTP status 400: serial not found in db"),
            "SondeHub does not know V4210150 and did not accept the report."
        ),
        (
            .normal, .recoveryRejected(serial, .expired, why: ""),
            "The report on V4210150 waited 14 days and was dropped."
        ),
        (.normal, .recoveryRejected(serial, .refused, why: "no"), "SondeHub did not accept the report on V4210150."),
        (.normal, .carHidden("HB9XYZ"), "Your car's position is no longer public on SondeHub as HB9XYZ."),
        (
            .normal, .otherGateway(id: "car1"),
            "Another gateway has the id car1, too: give each one a gateway.id of its own."
        ),
        (.low, .gatewayStopped, "The gateway is stopping."),
    ]

    @Test(arguments: english.indices) func words(_ index: Int) {
        let (importance, announcement, text) = Self.english[index]
        #expect(Language.english.phrasebook.sentence(for: announcement, from: Self.car) == text)
        #expect(announcement.event.importance == importance)
    }

    /// Where no car is known, the town tells the place, as far as it is known.
    @Test(
        arguments: [
            (
                SpokenStatus(
                    .inTheAir, altitudeMetres: 2000, timeToGo: .seconds(7800), landing: here, radius50Metres: 54_000,
                    town: town), "2000 metres high. Lands in 130 minutes, somewhere within 54 kilometres of Grenchen."
            ),
            (
                SpokenStatus(.inTheAir, timeToGo: .seconds(540), landing: here, radius50Metres: 3000, town: town),
                "The sonde is in the air. Lands in 9 minutes, 2 kilometres north of Grenchen, give or take 3."
            ),
            (
                SpokenStatus(.inTheAir, landing: here, radius50Metres: 3000),
                "The sonde is in the air."
            ),
            (
                SpokenStatus(.probablyOnTheGround, landing: here, radius50Metres: 54_000, town: town),
                "Probably on the ground, somewhere within 54 kilometres of Grenchen."
            ),
            (
                SpokenStatus(.onTheGround, landing: here, town: town),
                "On the ground, 2 kilometres north of Grenchen."
            ),
        ])
    func withoutACar(_ status: SpokenStatus, _ text: String) {
        #expect(Language.english.phrasebook.sentence(for: .status(status), from: nil) == text)
        #expect(Language.english.phrasebook.speech(for: .status(status), from: nil) == text)
    }

    /// Each event has a sentence in the table and in each language.
    @Test(arguments: Language.allCases) func everyEventIsSaid(_ language: Language) {
        // Another event's sentence is said later.
        #expect(Set(Self.english.map(\.1.event)) == Set(EventName.allCases).subtracting([.said]))
        for (_, announcement, _) in Self.english {
            for car in [Self.car, nil] {
                let sentence = language.phrasebook.sentence(for: announcement, from: car)
                #expect(sentence.hasSuffix(".") || sentence.hasSuffix("?"), "\(sentence)")
                #expect(!sentence.contains("nil") && !sentence.contains("Optional"), "\(sentence)")
            }
        }
    }
}
