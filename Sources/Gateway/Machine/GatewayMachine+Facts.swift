import FlightMath
import GatewayReports
import ReceiverProtocol

// What the parts may know of each other.

extension GatewayMachine {
    /// Computed at each access. `mutating` avoids a copy of the whole machine each time.
    var facts: Facts {
        mutating get {
            Facts(
                run: run.facts(isPageOpen: sondesAround.isWatched), receiver: receiver.facts(at: receiverPlace),
                tuning: tuning.facts, sonde: sonde.facts, sondeHub: sondeHubFacts,
                launches: launches.facts(ofSite: sondeHub.site.value.number), road: road.facts,
                signal: signal.facts, state: telemetry.state)
        }
    }

    private var sondeHubFacts: SondeHubFacts {
        mutating get {
            SondeHubFacts(
                hasAnswered: sondeHub.hasAnswered, interval: sondeHub.poll.interval,
                streamSession: sondeHub.stream.session, isHunting: sondeHub.isHunting,
                isPinned: sondeHub.hunted.pins(sonde.serial), hasSonde: sonde.news.isAvailable,
                lastAnswer: sonde.news.lastAnswer, sondeHeardAt: sonde.news.heardAt,
                tuning: sonde.news.record.map {
                    SondeTuning(
                        frequencyMHz: sondeHub.frequencies.frequencyMHz(of: sonde.serial) ?? $0.frequencyMHz,
                        sondeType: $0.sondeType.named)
                },
                frequencies: sondeHub.frequencies,
                around: sondesAround.report.sondes, lookedAround: sondesAround.lookedAround,
                recoveries: recoveries.states)
        }
    }

    private var receiverPlace: ReceiverPlace? {
        let site = launches.site(sondeHub.site.value.number)
        guard let place = sondesAround.centre ?? site?.coordinate else { return nil }
        return ReceiverPlace(
            coordinate: place, altitudeMetres: road.car.position?.altitudeMetres ?? site?.altitudeMetres ?? 0)
    }
}

extension Receiver {
    fileprivate func facts(at place: ReceiverPlace?) -> ReceiverFacts {
        ReceiverFacts(
            link: link.state, session: session, maximumWriteLength: link.peer?.maximumWriteLength ?? 0,
            hasAnswered: hasAnswered, firstFrameAt: firstFrameAt, heardAt: heardAt, sondeHeardAt: sondeHeardAt,
            listening: listening,
            place: place)
    }
}

extension FollowedSonde {
    fileprivate var facts: SondeFacts {
        SondeFacts(
            names: names, flightNumber: flightNumber,
            seenInAirFrom: flight.seenInAirFrom, newestPoint: flight.lastSeen, phase: flight.phase,
            verticalSpeed: flight.motion?.verticalSpeed, altitudeMetres: flight.newestTrusted?.altitudeMetres,
            receivedAt: heard.receivedAt, decodedType: heard.radio.heardAs, landing: landing.point,
            forecasts: landing.predictions.facts)
    }
}

extension Launches {
    fileprivate func facts(ofSite number: String?) -> LaunchFacts {
        LaunchFacts(places: places, sites: book.sites, site: number, siteTunings: tunings(of: number))
    }
}
