import FlightMath
import GatewayReports
import Logging
import NIOCore
import ReceiverProtocol

/// The Horus feed: sends each newer position to all targets and the car's to its own target, and receives positions of
/// the car and bearings.
final class HorusOutlet: FeedOutlet {
    /// The car's position is sent at least this often while it is known, seconds.
    private static let carInterval = 10

    private let station: String
    private let targets: FeedTargets
    private let carTargets: FeedTargets
    private let sender: DatagramSender
    private var receiver: DatagramReceiver?
    private var messages = 0
    private var drops = 0
    /// The sonde and the second of the last position sent.
    private var told: (serial: SondeSerial, second: Int64)?
    private var toldCar: CarPosition?
    /// The car's last datagram. If `car` and `listen` are the same port, the gateway receives it back and must ignore
    /// it.
    private var ownMessage: [UInt8] = []
    private var secondsSinceCar = 0

    init(_ feed: HorusFeed, _ surroundings: FeedSurroundings) {
        station = surroundings.station
        targets = FeedTargets(feed.targets, on: surroundings.loop)
        carTargets = FeedTargets(feed.car.map { [$0] } ?? [], on: surroundings.loop)
        sender = DatagramSender(on: surroundings.loop)
        receiver = feed.listen.map { endpoint in
            DatagramReceiver(
                of: "horus", at: endpoint, on: surroundings.loop, log: surroundings.log
            ) { [weak self] bytes, _ in
                guard bytes != self?.ownMessage else { return }
                if let fix = HorusMessage.carFix(in: bytes) { surroundings.onCar(fix) }
                if let bearing = HorusMessage.bearing(in: bytes) { surroundings.onBearing(bearing) }
            }
        }
    }

    var counts: FeedCounts {
        FeedCounts(
            name: "horus", clients: targets.addresses.count + carTargets.addresses.count, messages: messages,
            drops: drops + (receiver?.drops ?? 0))
    }

    func tick(_ moment: FeedMoment) {
        targets.tick()
        carTargets.tick()
        sender.tick()
        receiver?.tick()
        if let sonde = moment.sonde, sonde.isFresh { tell(sonde) }
        secondsSinceCar += 1
        // The Horus programs already know a position that came from them.
        if let car = moment.car, car.source != .horus { tell(car) }
    }

    func stop() {
        sender.stop()
        receiver?.stop()
    }

    private func tell(_ sonde: FeedSonde) {
        let second = sonde.time.millisecondsSince1970 / 1000
        if let told, told.serial == sonde.serial, second == told.second { return }
        if send(HorusMessage.payload(sonde, station: station), to: targets) { told = (sonde.serial, second) }
    }

    private func tell(_ car: CarPosition) {
        guard car != toldCar || secondsSinceCar >= Self.carInterval else { return }
        ownMessage = HorusMessage.position(of: car)
        guard send(ownMessage, to: carTargets) else { return }
        toldCar = car
        secondsSinceCar = 0
    }

    /// - Returns: whether at least one destination got it.
    private func send(_ bytes: [UInt8], to targets: FeedTargets) -> Bool {
        var isSent = false
        for address in targets.addresses {
            if sender.send(bytes, to: address) {
                messages += 1
                isSent = true
            } else {
                drops += 1
            }
        }
        return isSent
    }
}
