import BluetoothProtocol
import Dashboard
import FlightMath
import Gateway
import GatewayReports
import MosquittoClient
import StreamTransports
import TransportIO

/// Looks for answers to the page's questions. Pages that ask at the same time share one scan and one list of sites.
actor SetupFinder {
    struct Item: Equatable {
        /// The answer.
        var value: String
        var title: String
        var detail = ""
    }

    /// What was found, and what to say about it.
    struct Found {
        var items: [Item] = []
        var note: String?
        /// A finding of `doctor`, for which the page has its own sentence.
        var finding: Finding?

        var json: [UInt8] {
            var json = JSONText()
            json.array("items", items[...]) { json, item in
                json.object {
                    $0.field("value", item.value)
                    $0.field("title", item.title)
                    $0.field("detail", item.detail)
                }
            }
            json.field("note", note)
            json.field("text", finding.map { PageDiagnosis.withoutPaths($0.text) })
            json.field("code", finding?.code?.rawValue)
            json.field("place", finding?.place)
            return json.object
        }
    }

    private var scan: Task<Result<[ScanTable.Row], TransportError>, Never>?
    private var list: SiteList?

    /// How long a broker has to accept a connection.
    private static let brokerLimit = Duration.seconds(2)

    func found(
        _ step: SetupStep, _ search: SetupSearch, _ present: Configuration, _ language: Language
    ) async -> Found {
        switch step.question {
        case .receiver: await receivers(search.receiver, present, language)
        case .broker: await brokers(present, SetupPageTexts(language))
        case .place: await places(search.car, present)
        case .site: await sites(near: search, present, language)
        case .language, .user, .password, .id, .tablets, .callSign, .roads, .route: Found()
        }
    }

    private func receivers(
        _ connected: StateReport.Receiver?, _ present: Configuration, _ language: Language
    ) async -> Found {
        var found = Found()
        if let connected, let address = connected.address {
            let title = connected.name ?? address
            found.items.append(Item(value: address, title: title, detail: SetupPageTexts(language).connected))
        }
        for device in SerialCable.devices {
            let name = device.split(separator: "/").last.map { String($0) } ?? device
            found.items.append(Item(value: device, title: SetupPageTexts(language).cable, detail: name))
        }
        let task = scan ?? Task { await ReceiverSearch.rows(present.receiver) }
        scan = task
        let result = await task.value
        scan = nil
        switch result {
        case .success(let rows):
            for row in rows {
                let address = row.device.address.address.description
                guard !found.items.contains(where: { $0.value == address }) else { continue }
                let signal = row.device.rssiDBm.map { ", \($0) dBm" } ?? ""
                found.items.append(
                    Item(value: address, title: row.device.data.name ?? address, detail: address + signal))
            }
            if found.items.isEmpty { found.note = SetupTexts(language).noReceiver }
        case .failure(let error): found.note = PageDiagnosis.withoutPaths(error.detail)
        }
        return found
    }

    /// The broker of the configuration, one on this box, and Home Assistant's if it answers.
    private func brokers(_ present: Configuration, _ texts: SetupPageTexts) async -> Found {
        var places = present.mqtt.brokers.map(\.text)
        for usual in ["localhost:1883", "homeassistant.local:1883"] where !places.contains(usual) {
            places.append(usual)
        }
        let answers = await withTaskGroup(of: (String, Bool).self) { group in
            for place in places { group.addTask { (place, await Self.accepts(place)) } }
            return await group.reduce(into: [String: Bool]()) { $0[$1.0] = $1.1 }
        }
        let shown = places.filter { answers[$0] == true || !$0.hasPrefix("homeassistant.local") }
        return Found(
            items: shown.map {
                Item(value: $0, title: $0, detail: answers[$0] == true ? texts.answers : texts.silent)
            })
    }

    private static func accepts(_ place: String) async -> Bool {
        let parts = place.split(separator: ":")
        guard parts.count == 2, let port = Int(parts[1]) else { return false }
        let transport = TCPTransport(host: String(parts[0]), port: port)
        return await within(brokerLimit, or: false) {
            guard let connection = try? await transport.connect(report: { _ in }) else { return false }
            await connection.close()
            return true
        }
    }

    /// The car's place, or what `doctor` says about the GPS.
    private func places(_ car: Coordinate?, _ present: Configuration) async -> Found {
        guard let car else { return Found(finding: await GPSDCheckup(configuration: present).finding) }
        let place = "\(Self.rounded(car.latitude)),\(Self.rounded(car.longitude))"
        return Found(items: [Item(value: place, title: place, detail: "GPS")])
    }

    /// To 100 m: the answer says where this box is at home, not which house.
    private static func rounded(_ degrees: Double) -> Double { (degrees * 1000).rounded() / 1000 }

    private func sites(near search: SetupSearch, _ present: Configuration, _ language: Language) async -> Found {
        guard let list = await sites(present) else { return Found(note: SetupTexts(language).sitesUnknown) }
        let typed = search.place.flatMap { PlaceText.place(in: $0) }
        guard let place = typed ?? present.sondeHubOptions.place ?? search.car else {
            return Found(note: SetupPageTexts(language).placeFirst)
        }
        return Found(
            items: list.nearest(to: place).map {
                Item(value: $0.site.id, title: $0.site.name, detail: "\($0.kilometres) km · \($0.site.id)")
            })
    }

    /// SondeHub's list, which this run asks for once; nil if SondeHub does not answer.
    func sites(_ present: Configuration) async -> SiteList? {
        if let list { return list }
        list = await SiteList.fetched(present)
        return list
    }
}
