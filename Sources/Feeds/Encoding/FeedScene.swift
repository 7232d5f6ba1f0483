package import FlightMath
package import GatewayReports
package import ReceiverProtocol

/// All that a feed tells from: the newest reports, put together.
package struct FeedScene: Equatable, Sendable {
    private var position: PositionReport?
    private var radio: RadioReport?
    private var flight: FlightReport?
    private var state: StateReport?
    /// Where the car is; nil while nobody knows.
    package private(set) var car: CarPosition?

    package init() {}

    package mutating func take(_ report: Report) {
        switch report {
        case .position(let report): position = report
        case .radio(let report): radio = report
        case .flight(let report): flight = report
        case .chase(let report): car = report.car
        case .state(let report):
            state = report
            // Another sonde is followed, and nothing is known of it yet.
            if let position, position.serial != report.serial { self.position = nil }
        default: break  // Nothing that these feeds tell.
        }
    }

    /// Somebody hears the sonde, the receiver or SondeHub.
    package var hasTelemetry: Bool { state?.source != nil }

    /// Of the followed sonde.
    package var serial: SondeSerial? { state?.serial }

    /// Where the receiver listens, MHz; nil while it is away.
    package var listeningMHz: Double? { radio?.frame?.frequencyMHz }

    /// The followed sonde with its last position, however old; nil before the first.
    package func sonde(at now: MonotonicTime) -> FeedSonde? {
        guard let position, let serial = position.serial else { return nil }
        let flight = flight?.serial == serial ? flight : nil
        let radio = radio?.serial == serial ? radio : nil
        let motion = flight?.motion
        var sonde = FeedSonde(
            serial: serial, sondeType: position.sondeType, source: position.source, coordinate: position.coordinate,
            altitudeMetres: position.altitudeMetres, time: position.time, age: position.age(at: now),
            phase: flight?.phase.phase ?? .unknown)
        sonde.horizontalSpeed = position.horizontalSpeed ?? motion?.horizontalSpeed
        sonde.verticalSpeed = position.verticalSpeed ?? motion?.verticalSpeed
        sonde.courseDegrees = position.headingDegrees ?? motion?.courseDegrees
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
