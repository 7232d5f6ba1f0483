import FlightMath
import Gateway
import GatewayReports
import ReceiverProtocol

// The entities of the landing prediction and of the car. Each group is announced only if the configuration enables it.

extension HomeAssistantSources {
    var landingPlace: HomeAssistantPlace? {
        landing.map { landing in
            HomeAssistantPlace(
                coordinate: landing.point.coordinate, accuracyMetres: landing.point.accuracyMetres,
                radius90Metres: landing.point.radius90Metres, altitudeMetres: landing.point.altitudeMetres,
                serial: landing.serial?.canonical)
        }
    }

    func secondsToLanding(at now: MonotonicTime) -> Int? {
        landing?.point.timeToGo(at: now).map { Int(clamping: $0.components.seconds) }
    }

    /// The chase; nil if it is older than ``HomeAssistantChase/expiry``.
    func liveChase(at now: MonotonicTime) -> HomeAssistantChase? {
        chase.flatMap { now.duration(since: $0.at) < HomeAssistantChase.expiry ? $0 : nil }
    }
}

extension HomeAssistantDiscovery {
    var predictionEntities: [HomeAssistantEntity] {
        guard options.hasPrediction else { return [] }
        return [
            place(
                "landing", showing: .landing, icon: "mdi:map-marker-radius",
                needs: .kept(.landing)),
            time("landing_at", showing: .landingAt, icon: "mdi:clock-end"),
            sensor("landing_in", showing: .landingIn, as: .duration),
            sensor(
                "landing_radius", showing: .landingRadius, as: .distance,
                needs: .kept(.landingRadius)),
            choice(
                "prediction_method", showing: .predictionMethod, of: PredictionMethod.self, in: "method",
                icon: "mdi:crystal-ball"
            )
            .asDiagnostic,
        ]
    }

    var carEntities: [HomeAssistantEntity] {
        guard options.hasCar else { return [] }
        return [
            place("car", showing: .car, icon: "mdi:car", needs: .known(.car)),
            sensor("distance_sonde", showing: .distanceToSonde, as: .distance),
            sensor(
                "distance_landing", showing: .distanceToLanding, as: .distance),
            time("arrival_at", showing: .arrivalAt, icon: "mdi:clock-check-outline"),
            sensor("margin", showing: .margin, as: .duration),
        ]
    }
}
