import FlightMath

/// Joins the sentences of one instant: RMC has the speed, the course and the date, GGA the altitude. They come in either
/// order, and only their times of day show that they belong together.
///
/// | sentence | message |
/// | --- | --- |
/// | RMC with a position | a fix, with the altitude of the GGA of its time, or of one up to 2 s earlier |
/// | GGA of the same time as the last RMC | the same fix again, with this altitude |
/// | GGA of another time | none: it waits for its RMC |
/// | the sixth and further GGA without an RMC | a fix without date, speed and course |
/// | RMC or GGA without a position | no fix; an RMC of the same time doesn't count either |
///
/// So a GGA before midnight never gets the date of an RMC after it.
struct NMEAEpoch: Sendable {
    /// So many GGA may come before each RMC: a receiver may send them more often.
    private static let mostBeforePosition = 5
    /// An older altitude is not joined, milliseconds.
    private static let altitudeLimit = 2000

    /// The newest GGA since the last RMC.
    private var data: NMEASentence.FixData?
    /// The newest altitude, and its time of day.
    private var altitude: (timeOfDay: Int, metres: Double)?
    /// The newest RMC's time of day, and its fix.
    private var last: (timeOfDay: Int, fix: CarFix)?
    /// The number of GGA since the last RMC, up to ``mostBeforePosition``.
    private var dataSincePosition = 0

    mutating func follow(_ sentence: NMEASentence) -> CarMessage {
        switch sentence {
        case .position(let position): return follow(position)
        case .fixData(let data): return follow(data)
        case .noPosition:
            self = NMEAEpoch()
            return .noFix
        case .other: return .other
        }
    }

    private mutating func follow(_ position: NMEASentence.Position) -> CarMessage {
        let isWithoutFix = data.map { $0.timeOfDay == position.timeOfDay && $0.place == nil } ?? false
        (data, last, dataSincePosition) = (nil, nil, 0)
        guard !isWithoutFix else { return .noFix }
        let fix = CarFix(
            source: .nmea, coordinate: position.place, altitudeMetres: altitudeMetres(at: position.timeOfDay),
            speed: position.speed, courseDegrees: position.courseDegrees, time: position.time)
        last = position.timeOfDay.map { ($0, fix) }
        return .fix(fix)
    }

    private func altitudeMetres(at timeOfDay: Int?) -> Double? {
        guard let altitude, let timeOfDay, 0...Self.altitudeLimit ~= timeOfDay - altitude.timeOfDay else { return nil }
        return altitude.metres
    }

    private mutating func follow(_ data: NMEASentence.FixData) -> CarMessage {
        let isRepeated = data.timeOfDay != nil && data.timeOfDay == self.data?.timeOfDay
        self.data = data
        guard let place = data.place else { return .noFix }
        if let time = data.timeOfDay, let metres = data.altitudeMetres { altitude = (time, metres) }
        if let last, last.timeOfDay == data.timeOfDay {
            guard let metres = data.altitudeMetres, metres != last.fix.altitudeMetres else { return .other }
            var fix = last.fix
            fix.altitudeMetres = metres
            return .fix(fix)
        }
        guard dataSincePosition == Self.mostBeforePosition else {
            dataSincePosition += 1
            return .other
        }
        // A receiver that has hung repeats its time.
        guard !isRepeated else { return .other }
        return .fix(CarFix(source: .nmea, coordinate: place, altitudeMetres: data.altitudeMetres))
    }
}
