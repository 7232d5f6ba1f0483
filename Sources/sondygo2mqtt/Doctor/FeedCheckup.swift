import Feeds

/// Can the feeds that are switched on have their ports, and whom do they tell?
struct FeedCheckup {
    let configuration: Configuration

    /// A line for each that is on.
    func findings() -> [Finding] {
        let feeds = configuration.feeds.sockets
        var findings: [Finding] = []
        if feeds.rdz.isEnabled { findings.append(listener("rdz", feeds.rdz.address, port: feeds.rdz.port)) }
        if feeds.horus.isEnabled { findings.append(horus(feeds.horus)) }
        if feeds.gdl90.isEnabled { findings.append(gdl90(feeds.gdl90)) }
        if feeds.rocket.isEnabled {
            findings.append(listener("rocket", feeds.rocket.address, port: feeds.rocket.port))
        }
        if configuration.feeds.ownTracks.isEnabled {
            findings.append(
                Finding("owntracks", .ok, "tells phones on owntracks/\(configuration.feeds.ownTracks.user)/…"))
        }
        if configuration.feeds.chaseCar.isEnabled, let callSign = configuration.feeds.chaseCar.callSign {
            findings.append(
                Finding("chase car", .note, "on a hunt the car's position is public on SondeHub, as \(callSign)_chase"))
        }
        return findings
    }

    private func horus(_ horus: FeedsConfiguration.Horus) -> Finding {
        var text = horus.targets.isEmpty ? "tells nobody of the sonde" : "tells \(list(horus.targets))"
        if let car = horus.car { text += "; the car to \(car.description)" }
        guard let listen = horus.listen else { return Finding("horus", horus.targets.isEmpty ? .note : .ok, text) }
        let fault = PortProbe.fault(at: listen.host, port: listen.port, isDatagram: true)
        text += "; listens at \(listen.description)" + (fault.map { Self.taken($0) } ?? "")
        return Finding("horus", horus.targets.isEmpty || fault != nil ? .note : .ok, text)
    }

    private func gdl90(_ gdl90: FeedsConfiguration.GDL90) -> Finding {
        let told = gdl90.targets.isEmpty ? "" : "tells \(list(gdl90.targets))"
        let place = FeedsConfiguration.GDL90.announcements
        let fault = gdl90.discovers ? PortProbe.fault(at: place.host, port: place.port, isDatagram: true) : nil
        let discovered = gdl90.discovers ? "whoever announces itself on UDP \(place.port)" : ""
        let text = [told, discovered].filter { !$0.isEmpty }.joined(separator: ", and ")
        return Finding(
            "gdl90", fault == nil ? .ok : .note,
            text + (fault.map { Self.taken($0) } ?? "") + "; for awareness, not for separation")
    }

    private func listener(_ name: String, _ address: String, port: Int) -> Finding {
        let place = "TCP port \(port) of \(address)"
        let fault = PortProbe.fault(at: address, port: port)
        return fault.map { Finding(name, .note, place + Self.taken($0)) } ?? Finding(name, .ok, "\(place) is free")
    }

    private static func taken(_ fault: String) -> String { ": \(fault) (by the running gateway? ss -lntup tells)" }

    private func list(_ endpoints: [FeedsConfiguration.Endpoint]) -> String {
        endpoints.map(\.description).joined(separator: ", ")
    }
}
