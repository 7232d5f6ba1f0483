import Dashboard
import Feeds

extension HorusFeed: Feed {
    static let name = "horus"
    static let keys: [ConfigurationKey] = [
        .flag("feeds.horus.enabled", \.feeds.horus.isEnabled),
        .endpoints("feeds.horus.targets", \.feeds.horus.targets, usualPort: nil),
        .endpoint("feeds.horus.car", \.feeds.horus.car),
        .endpoint("feeds.horus.listen", \.feeds.horus.listen, accepts: "address:port of this machine") {
            DashboardOptions.isAddress($0.host)
        },
    ]

    var listener: Listener? {
        listen.map { Listener(key: "feeds.horus.listen", host: $0.host, port: $0.port, isDatagram: true) }
    }

    var finding: Finding {
        let fault = listener?.fault
        var text = targets.isEmpty ? "sends the sonde to no address" : "sends to \(targets.list)"
        if let car { text += "; the car to \(car.description)" }
        if let listen { text += "; listens at \(listen.description)" }
        return Finding(
            subject: Self.name, verdict: targets.isEmpty || fault != nil ? .note : .ok, text: text + (fault ?? ""))
    }
}
