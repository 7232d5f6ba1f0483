import Foundation
import ReceiverProtocol
import TestSupport
import Testing

@testable import FlightMath
@testable import GatewayReports

/// Every sentence in every language, side by side in `Fixtures/phrases.txt`, and as a voice says it in `Fixtures/speech.txt`.
///
/// To write the files anew, run `SONDYGO_UPDATE_GOLDEN=1 Tests/one.sh LanguageTests`. Let a reader of each language
/// read it before you commit it.
@Suite struct LanguageTests {
    /// Beside the English table: each direction, each reason, the singular and the smallest values.
    private static let further: [Announcement] = places + losses + moves + others

    private static let places: [Announcement] =
        [
            (0, 5000), (2000, 2000), (0, -900), (2000, -2000), (1000, 0), (-1000, 1000), (-400, -400), (1500, 0),
        ].map { east, north in .landed(PhrasebookTests.point(400, east: east, north: north)) }
        + (0..<8).map { index in
            let town = NearbyTown(name: "Grenchen", metres: 2000, bearingDegrees: Double(index) * 45)
            return .landed(PhrasebookTests.point(400), near: town)
        }
    private static let losses: [Announcement] =
        TransportError.Code.allCases.map { .receiverLost(.transport(TransportError($0, "it failed"))) }
        + StoreError.Code.allCases.map { .storeFailed(StoreError($0, "it failed")) }
    private static let moves: [Announcement] = (0..<8).map { index in
        .landingMoved(to: SpokenLanding(PhrasebookTests.here), metres: 1000, degrees: Double(index) * 45)
    }
    private static let others: [Announcement] =
        [
            .landed(
                PhrasebookTests.point(400), .unknown, near: NearbyTown(name: "Biel", metres: 900, bearingDegrees: 0)),
            .firstPrediction(
                SpokenLanding(
                    PhrasebookTests.here, timeToGo: .seconds(1200), radius50Metres: 3000, town: PhrasebookTests.town)),
            .receiverLost(.endOfRecording), .receiverLost(.stopping),
            .trackTruncated(TrackTruncation(count: 31, reason: .newFlight, boundary: noon)),
            .trackTruncated(TrackTruncation(count: 1, reason: .landed, boundary: noon)),
            .trackTruncated(TrackTruncation(count: 31, reason: .excursion, boundary: noon)),
            .trackTruncated(TrackTruncation(count: 1, reason: .excursion, boundary: noon)),
            .trackTruncated(TrackTruncation(count: 31, reason: .blackout, boundary: noon)),
            .trackTruncated(TrackTruncation(count: 1, reason: .blackout, boundary: noon)),
            .distance(metres: 4, to: PhrasebookTests.here.moved(east: 3, north: 3)),
            .firstPrediction(SpokenLanding(PhrasebookTests.here, timeToGo: .seconds(62))), .noRoadNear(metres: 1000),
            .arrival(margin: .zero, isNoRoadNear: true), .burst(PhrasebookTests.point(29_000)), midnight, slow,
        ] + tunings.map { .frequencyTuned($0) }

    private static let noon = WallTime(millisecondsSince1970: 1_767_268_800_000)
    /// A site's name that begins with a vowel.
    private static let midnight = Announcement.launchNear(
        "Ajaccio", at: noon.advanced(byMilliseconds: 40_500_000), metres: 18_200, landing: nil)
    private static let slow = Announcement.status(
        SpokenStatus(.inTheAir, verticalSpeed: -1, altitudeMetres: 400, timeToGo: .seconds(62)))
    private static let tunings = [404.0, 404.005, 405.12].compactMap { Tuning(frequencyMHz: $0, sondeType: .m20) }

    /// A sentence in each language, in the languages' order. Other units change only what has a distance or a speed.
    private static var rows: [[String]] {
        var standing = PhrasebookTests.car
        standing.courseDegrees = nil
        var seen: Set<String> = []
        let metric = (PhrasebookTests.english.map(\.1) + further).flatMap { announcement in
            [PhrasebookTests.car, standing, nil].map { (Units.metric, announcement, $0) }
        }
        let others = [Units.imperial, .aviation].flatMap { units in
            (PhrasebookTests.english.map(\.1) + UnitsTests.measured).map {
                (units, $0, CarPosition?.some(PhrasebookTests.car))
            }
        }
        return (metric + others).map { units, announcement, car in
            Language.allCases.map { $0.phrasebook(in: units).sentence(for: announcement, from: car) }
        }.filter { seen.insert($0.joined()).inserted }
    }

    /// What a voice says, with the longest values.
    private static let longest: [Announcement] = {
        let far = PhrasebookTests.here.moved(east: 46_000, north: 46_000)
        let town = NearbyTown(name: "La Chaux-de-Fonds", metres: 12_300, bearingDegrees: 225)
        let landing = SpokenLanding(far, timeToGo: .seconds(7620), radius50Metres: 15_000, town: town)
        var vague = landing
        vague.radius50Metres = 54_000
        let status = [-12.2, 12.2].map {
            SpokenStatus(
                .inTheAir, verticalSpeed: $0, altitudeMetres: 31_200, timeToGo: .seconds(7620), landing: far,
                margin: .seconds(-2820), isStraight: true)
        }
        let point = PhrasebookTests.point(31_200, east: 46_000, north: 46_000)
        func soon(_ landing: SpokenLanding) -> SpokenLanding {
            var soon = landing
            soon.timeToGo = .seconds(2820)
            return soon
        }
        return status.map { .status($0) } + [
            .firstPrediction(landing), .firstPrediction(vague), .landingMoved(to: landing, metres: 12_300, degrees: 45),
            .landingMoved(to: vague, metres: 12_300, degrees: 45), .burst(point, landing: soon(landing)),
            .burst(point, landing: soon(vague)),
            .landed(point, near: town), .landed(point, .unknown, near: town),
            .landedInSilence(lastHeard: point, guess: far),
            .arrival(margin: .seconds(-2820), isNoRoadNear: true),
            .arrival(margin: .seconds(-2820), isNoRoadNear: false, isStraight: true),
            .noRoadNear(metres: 12_300),
        ]
    }()

    /// The sentences as a voice says them, behind the seconds that it may take. `SpeechRecipeTests` measures them.
    @Test func spoken() throws {
        var standing = PhrasebookTests.car
        standing.courseDegrees = nil
        var seen: Set<String> = []
        let cars = [PhrasebookTests.car, standing, nil]
        let metric = (PhrasebookTests.english.map(\.1) + Self.further).flatMap { said in
            cars.map { (Units.metric, said, $0) }
        }
        let longest = Units.allCases.flatMap { units in
            Self.longest.flatMap { said in cars.map { (units, said, $0) } }
        }
        let lines = (metric + longest).flatMap { units, announcement, car in
            Language.allCases.compactMap { language -> String? in
                let speech = language.phrasebook(in: units).speech(for: announcement, from: car)
                return switch announcement {
                // Only shown.
                case .scored, .trackTruncated: nil
                case .status: "9 \(language.rawValue) \(speech)"
                default: "7 \(language.rawValue) \(speech)"
                }
            }
        }.filter { seen.insert($0).inserted }
        #expect(try Fixtures.holds(lines.map { $0 + "\n" }.joined(), at: "Fixtures/speech.txt"))
    }

    /// However long the words are, the voice says how unsure the place is: by the radius, else by "about".
    @Test(arguments: Language.allCases) func theDoubtIsAlwaysSaid(_ language: Language) {
        let book = language.phrasebook
        let rough = book.text(Phrase("about", values: ["distance": .quantity(.roughDistance(5000))]))
        let about = rough.prefix { !$0.isNumber }
        for announcement in Self.longest {
            let radius: Double? =
                switch announcement {
                case .burst(_, let landing?), .firstPrediction(let landing), .landingMoved(let landing, _, _):
                    landing.radius50Metres
                default: nil
                }
            guard let radius else { continue }
            for car in [PhrasebookTests.car, nil] {
                let speech = book.speech(for: announcement, from: car)
                #expect(speech.contains("\(Int(radius / 1000))") || speech.contains(about), "\(speech)")
            }
        }
        #expect(!about.isEmpty)
    }

    /// A town that is far from the place does not stand for it, however little is known.
    @Test func noFarTown() {
        let book = Language.english.phrasebook
        let near = SpokenLanding(
            PhrasebookTests.here.moved(east: 170, north: 0), radius50Metres: 460,
            town: NearbyTown(name: "Darmstadt", metres: 4900, bearingDegrees: 135))
        #expect(
            book.sentence(for: .firstPrediction(near), from: PhrasebookTests.car)
                == "Lands somewhere within 460 metres of here.")
        let far = SpokenLanding(
            PhrasebookTests.here, radius50Metres: 11_000,
            town: NearbyTown(name: "Darmstadt", metres: 12_000, bearingDegrees: 135))
        #expect(
            book.sentence(for: .firstPrediction(far), from: nil)
                == "Lands 12 kilometres south-east of Darmstadt, give or take 11.")
    }

    @Test func sideBySide() throws {
        let text = Self.rows.map { row in
            zip(Language.allCases, row).map { "\($0.rawValue) \($1)\n" }.joined()
        }.joined(separator: "\n")
        #expect(try Fixtures.holds(text, at: "Fixtures/phrases.txt"))
    }

    /// Each sentence has all values of the English one, but no English word, abbreviation or symbol.
    @Test func everySentenceIsWhole() {
        let english: Set = [
            "the", "is", "has", "of", "and", "with", "receiver", "landing", "you", "not", "metres", "kilometres",
            "kilometre", "feet", "thousand", "nautical", "north", "south", "unknown", "it", "failed", "Receiver", "The",
        ]
        let units: Set = ["m", "km", "ft", "mi", "NM", "kt", "s", "min", "h", "MHz", "kHz", "Hz", "MB", "GB"]
        for row in Self.rows {
            // The system's own words stand in the English sentence only.
            let numbers = Self.numbers(row[0], decimal: ".").subtracting(row[0].contains("store was") ? ["0"] : [])
            for (language, sentence) in zip(Language.allCases, row) {
                #expect(sentence.last == "." || sentence.last == "?", "\(sentence)")
                #expect(sentence.first?.isLowercase == false, "\(sentence)")
                let strange = sentence.filter { !$0.isLetter && !$0.isNumber && !" ,.:;¿?'-\u{A0}".contains($0) }
                #expect(strange.isEmpty, "\(sentence)")
                let words = Set(sentence.split { !$0.isLetter && $0 != "'" }.map(String.init))
                #expect(words.isDisjoint(with: units), "\(sentence)")
                guard language != .english else { continue }
                #expect(words.isDisjoint(with: english), "\(sentence)")
                // One is a word in the other languages.
                let told = Self.numbers(sentence, decimal: ",")
                #expect(told.isSubset(of: numbers) && numbers.subtracting(told).isSubset(of: ["1"]), "\(row)")
            }
        }
    }

    private static func numbers(_ sentence: String, decimal: Character) -> Set<String> {
        // The firmware's version is no decimal number.
        let parts = sentence.replacing(" 3.10", with: "").split { !$0.isNumber && $0 != decimal }.map(String.init)
        return Set(
            parts.map { $0.trimmingCharacters(in: CharacterSet(charactersIn: ",.")) }.filter { !$0.isEmpty }
                .map { $0.replacing(String(decimal), with: ".") })
    }

    /// Serials are spelled in pairs, and facts for readers left out. ``sideBySide`` shows each language's words.
    @Test(arguments: Language.allCases) func speech(_ language: Language) throws {
        let words = language.phrasebook
        let serial = try #require(SondeSerial(name: "V4210150", type: .rs41))
        let speech = { words.speech(for: $0, from: nil) }
        let text = { words.sentence(for: $0, from: nil) }
        for old in [nil, serial] {
            let plain = words.sonde("V4210150", isFirst: old == nil)
            let spelled = words.sonde("V 4, 2 1, 0 1, 5 0", isFirst: old == nil)
            #expect(spelled.contains("V 4, 2 1, 0 1, 5 0"))
            #expect(speech(.sondeChanged(to: serial, from: old, type: .rs41)) == spelled + ".")
            #expect(text(.sondeChanged(to: serial, from: old, type: .rs41)).hasPrefix(plain + ", "))
            #expect(text(.sondeChanged(to: serial, from: old, type: nil, isLongAfter: true)) == plain + ".")
        }
        // Nobody wants to hear the path of a cable.
        let cable = speech(.receiverOnline(name: "/dev/serial/by-id/usb-Silicon_Labs-if00", firmware: "3.10"))
        #expect(!cable.contains("/") && !cable.contains("  ") && cable.hasSuffix("."), "\(cable)")
        #expect(words.sonde("", isFirst: true) != words.sonde("", isFirst: false))
        let after = text(.sondeChanged(to: serial, from: serial, type: nil))
        #expect(after.hasPrefix(words.sonde("V4210150", isFirst: false) + ", ") && after.hasSuffix(" V4210150."))
        let online = Announcement.receiverOnline(name: "MySondyGO", firmware: "3.10")
        #expect(text(online).hasSuffix(" 3.10."))
        #expect(speech(online) == text(.receiverOnline(name: "MySondyGO", firmware: nil)))
        #expect(!speech(online).contains("3.10"))
        #expect(speech(.carPublic("HB9XYZ")).contains("H B, 9 X, Y Z."))
    }

    /// No two languages share these words, so none stands in another's file.
    @Test func eachLanguageHasItsOwnWords() {
        let books = Language.allCases.map(\.phrasebook)
        let names = books.map { $0.name(ofEntity: "altitude") + $0.name(ofEntity: "hunt") }
        for words in [books.map(\.newest), books.map(\.keyNeeded), names] {
            #expect(Set(words).count == books.count, "\(words)")
        }
    }
}
