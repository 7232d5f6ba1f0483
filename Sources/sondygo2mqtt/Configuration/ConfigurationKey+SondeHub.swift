import Gateway
import ReceiverProtocol
import SondeHubClient

extension ConfigurationKey {
    /// The keys below `sondehub`.
    static let sondeHub: [ConfigurationKey] = [
        flag("sondehub.enabled", \.sondeHub.isEnabled),
        text(
            "sondehub.url", \.sondeHub.url, accepts: "an https URL (http for this machine only)",
            where: SondeHubClient.accepts
        ).address,
        optional(
            "sondehub.site", \.sondeHub.site, accepts: "a station number of SondeHub, for example \"06610\"",
            where: SondeHubOptions.isSite
        ).shown,
        optional("sondehub.latitude", \.sondeHub.latitude, in: -90...90),
        optional("sondehub.longitude", \.sondeHub.longitude, in: -180...180),
        number("sondehub.radius_km", \.sondeHub.radiusKilometres, in: 1...2000),
        integer("sondehub.poll_seconds", \.sondeHub.pollSeconds, in: 5...3600),
        choice("sondehub.frequency_sync", \.sondeHub.frequencySync, from: syncPolicies),
        optional("sondehub.hunt", \.sondeHub.hunt, accepts: SondeSerial.accepted) { SondeSerial(typed: $0) != nil }
            .shown,
        flag("sondehub.crews", \.sondeHub.showsCrews),
        text("sondehub.stream", \.sondeHub.stream, accepts: "auto, off or a wss address") {
            ["auto", "off"].contains($0) || StreamPlace.accepts($0)
        }.address,
        optional(
            "sondehub.callsign", \.sondeHub.callSign, accepts: ChaseCarFeed.acceptedCallSigns,
            where: ChaseCarFeed.isCallSign
        ).shown,
        optional("sondehub.alarm_km", \.sondeHub.alarmKilometres, in: 1...1000),
        flag("sondehub.around", \.sondeHub.looksAround),
    ]

    private static let syncPolicies: KeyValuePairs<String, FrequencySyncPolicy> = [
        "propose": .propose, "auto": .auto, "off": .off,
    ]
}
