import Gateway

/// The car on SondeHub's map.
struct ChaseCarFeed: Feed, Equatable {
    var isEnabled = false
    var callSign: String?
    var seconds = 30

    static let name = "chase_car"
    static let keys: [ConfigurationKey] = [
        ConfigurationKey.flag("feeds.chase_car.enabled", \.feeds.chaseCar.isEnabled).live,
        ConfigurationKey.optional(
            "feeds.chase_car.callsign", \.feeds.chaseCar.callSign,
            accepts: acceptedCallSigns, where: isCallSign
        ).live.shown,
        ConfigurationKey.integer("feeds.chase_car.seconds", \.feeds.chaseCar.seconds, in: 15...3600).live,
    ]

    static let acceptedCallSigns = "a call sign of 3 to 20 letters, digits, - and _"

    static func isCallSign(_ text: String) -> Bool {
        3...20 ~= text.utf8.count
            && text.utf8.allSatisfy { byte in
                "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8.contains(byte)
            }
    }

    func isOn(in configuration: Configuration) -> Bool {
        configuration.carSharingOptions.callSign != nil && configuration.carSharingOptions.mayAsk
    }

    func contradictions(in configuration: Configuration) -> [Contradiction] {
        var found: [Contradiction] = []
        if callSign == nil {
            found.append(
                Contradiction(
                    keys: ["feeds.chase_car.enabled"],
                    text: "feeds.chase_car.callsign: needed with feeds.chase_car.enabled; give the name under which "
                        + "everybody may see your car"))
        }
        if !configuration.sondeHub.isEnabled {
            found.append(
                Contradiction(
                    keys: ["feeds.chase_car.enabled", "sondehub.enabled"],
                    text: "feeds.chase_car.enabled: SondeHub can't show the car while sondehub.enabled is false"))
        }
        return found
    }

    var finding: Finding {
        let name = callSign.map { "\($0)_chase" } ?? "nobody"
        return Finding.note("chase car", "on a hunt the car's position is public on SondeHub, as \(name)")
    }
}

extension Configuration {
    /// A simulated or recorded chase is never shared.
    var carSharingOptions: CarSharingOptions {
        guard !isForShow else { return CarSharingOptions() }
        return CarSharingOptions(
            callSign: feeds.chaseCar.isEnabled ? feeds.chaseCar.callSign : nil,
            interval: .seconds(feeds.chaseCar.seconds), mayAsk: sondeHub.isEnabled)
    }
}
