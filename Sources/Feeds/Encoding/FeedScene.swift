package import FlightMath
package import GatewayReports
package import ReceiverProtocol

/// The state that all feeds show, collected from the newest reports.
package struct FeedScene: Equatable, Sendable {
    private var position: PositionReport?
    private var radio: RadioReport?
    private var flight: FlightReport?
    private var state: StateReport?
    /// The car's position; nil if it is unknown.
    package private(set) var car: CarPosition?

    package init() {}

    /// Keeps the reports that the feeds show.
    package mutating func update(with report: Report) {
        if case .position(let report) = report { position = report }
        if case .radio(let report) = report { radio = report }
        if case .flight(let report) = report { flight = report }
        if case .chase(let report) = report { car = report.car }
        if case .state(let report) = report {
            state = report
            // The gateway follows another sonde now. The position belongs to the old one.
            if let position, position.serial != report.serial { self.position = nil }
        }
    }

    /// Whether the receiver or SondeHub hears the sonde.
    package var hasTelemetry: Bool { state?.source != nil }

    /// The followed sonde's serial.
    package var serial: SondeSerial? { state?.serial }

    /// The receiver's frequency, MHz; nil while the receiver is away.
    package var listeningMHz: Double? { radio?.frame?.frequencyMHz }

    /// The followed sonde with its last position of any age; nil before its first position.
    package func sonde(at now: MonotonicTime) -> FeedSonde? {
        guard let position = position?.completed(by: flight), let serial = position.serial else { return nil }
        let flight = flight?.serial == serial ? flight : nil
        let radio = radio?.serial == serial ? radio : nil
        var sonde = FeedSonde(
            serial: serial, sondeType: position.sondeType, source: position.source, coordinate: position.coordinate,
            altitudeMetres: position.altitudeMetres, time: position.time, age: position.age(at: now),
            phase: flight?.phase.phase ?? .unknown)
        sonde.horizontalSpeed = position.horizontalSpeed
        sonde.verticalSpeed = position.verticalSpeed
        sonde.courseDegrees = position.headingDegrees
        sonde.temperatureCelsius = position.temperatureCelsius
        sonde.humidityPercent = position.humidityPercent
        sonde.pressureHectopascal = position.pressureHectopascal
        sonde.frequencyMHz = radio?.frame?.frequencyMHz ?? radio?.sondeFrequencyMHz
        if position.source == .ble {
            sonde.rssiDBm = radio?.frame?.rssiDBm
            sonde.afcHz = radio?.frame?.afcHz
        }
        sonde.burstAt = flight?.burst?.time
        sonde.hasDescended = flight?.hasDescended ?? false
        sonde.highestMetres = flight?.highestMetres
        sonde.firstAt = flight?.firstAt
        return sonde
    }
}
