import FlightMath
import GatewayReports
import Logging
import NIOCore

/// The GDL 90 feed: one datagram a second for each electronic flight bag that is configured or has announced itself.
final class GDL90Outlet: FeedOutlet {
    /// The seconds for which an announcement is valid, and the most announced programs that are served.
    private static let (announcedFor, mostAnnounced) = (30, 8)

    private let feed: GDL90Feed
    private let targets: FeedTargets
    private let sender: DatagramSender
    private var receiver: DatagramReceiver?
    /// The announced programs, with the seconds that are left to each.
    private var announced: [SocketAddress: Int] = [:]
    private var messages = 0
    private var drops = 0

    init(_ feed: GDL90Feed, _ surroundings: FeedSurroundings) {
        self.feed = feed
        targets = FeedTargets(feed.targets, on: surroundings.loop)
        sender = DatagramSender(on: surroundings.loop)
        guard feed.discovers else { return }
        receiver = DatagramReceiver(
            of: "gdl90", at: GDL90Feed.announcements, on: surroundings.loop, log: surroundings.log
        ) { [weak self] bytes, sender in self?.heard(bytes, from: sender) }
    }

    var counts: FeedCounts {
        FeedCounts(
            name: "gdl90", clients: targets.addresses.count + announced.count, messages: messages,
            drops: drops + (receiver?.drops ?? 0))
    }

    func tick(_ moment: FeedMoment) {
        targets.tick()
        sender.tick()
        receiver?.tick()
        announced = announced.compactMapValues { $0 > 1 ? $0 - 1 : nil }
        let addresses = targets.addresses
        let all = addresses + announced.keys.filter { !addresses.contains($0) }
        guard !all.isEmpty else { return }
        // The flight bags already get a position that came by GDL 90: its sender reaches them as well.
        let isTheirs = moment.car?.source == .gdl90
        let datagram = GDL90Message.datagram(
            moment.sonde, ownship: feed.tellsOwnship && !isTheirs ? moment.car : nil, at: moment.now,
            hasPosition: moment.car != nil, highestMetres: feed.highestMetres)
        for address in all {
            if sender.send(datagram, to: address) { messages += 1 } else { drops += 1 }
        }
    }

    func stop() {
        sender.stop()
        receiver?.stop()
    }

    private func heard(_ bytes: [UInt8], from sender: SocketAddress) {
        guard let port = GDL90Message.announcedPort(in: bytes), let host = sender.ipAddress,
            let address = try? SocketAddress(ipAddress: host, port: port),
            announced[address] != nil || announced.count < Self.mostAnnounced
        else { return }
        announced[address] = Self.announcedFor
    }
}
