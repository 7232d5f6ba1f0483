public import FlightMath
public import Gateway
public import GatewayReports
import ReceiverProtocol
public import ReceiverSimulator
import Synchronization

/// A car that chases the simulated sonde. It drives along the gateway's route, or straight to the landing point. Once a
/// second it sends its position like gpsd.
public final class SimulatedCar: ReceiverTransport, ReportFeed {
    fileprivate struct State {
        var model: CarModel
        var landing: Coordinate?
        var route: [Coordinate] = []
    }

    private let state: Mutex<State>
    private let clock: any GatewayClock

    /// - Parameter clock: the gateway's clock.
    public init(seed: UInt64, near start: CarModel.Place, clock: any GatewayClock) {
        state = Mutex(State(model: CarModel(seed: seed, near: start)))
        self.clock = clock
    }

    public var name: String { "simulated car" }

    public func connect(
        report: @escaping @Sendable (LinkReport) -> Void
    ) async throws(TransportError) -> any ReceiverConnection {
        SimulatedCarConnection(self, clock)
    }

    /// Takes the destination from reports.
    public func handle(_ report: Report, at now: Moment) {
        state.withLock { state in
            if case .landing(let landing) = report { state.landing = landing?.coordinate }
            if case .route(let route) = report { state.route = route?.line.points ?? [] }
            if report.kind == .landing || report.kind == .route { state.steer() }
        }
    }

    /// Drives for a second and returns gpsd's line.
    fileprivate func nextLine() -> String {
        state.withLock { state in
            state.model.advance()
            let car = state.model
            return "{\"class\":\"TPV\",\"device\":\"simulated\",\"mode\":3,\"time\":\"\(clock.now.wall.iso8601)\","
                + "\"lat\":\(car.place.latitude),\"lon\":\(car.place.longitude),\"altMSL\":500.0,"
                + "\"track\":\(car.courseDegrees),\"speed\":\(car.speed),\"eph\":4.0}\n"
        }
    }
}

extension SimulatedCar.State {
    fileprivate mutating func steer() {
        let ahead = route.isEmpty ? [landing].compactMap { $0 } : route
        model.follow(ahead.map { CarModel.Place(latitude: $0.latitude, longitude: $0.longitude) })
    }
}

private final class SimulatedCarConnection: ReceiverConnection {
    let peer = ReceiverPeer(name: "simulated car", maximumWriteLength: 128)
    private let car: SimulatedCar
    private let clock: any GatewayClock
    private let isClosed = Mutex(false)

    init(_ car: SimulatedCar, _ clock: any GatewayClock) {
        self.car = car
        self.clock = clock
    }

    func next() async throws(TransportError) -> ReceivedChunk? {
        await clock.sleep(until: clock.now.monotonic.advanced(by: .seconds(1)))
        guard !Task.isCancelled, !isClosed.withLock({ $0 }) else { throw TransportError(.cancelled, "closed") }
        return ReceivedChunk(bytes: Array(car.nextLine().utf8), at: clock.now.monotonic)
    }

    /// Ignores `?WATCH`.
    func write(_ bytes: [UInt8]) async throws(TransportError) {}

    func close() async { isClosed.withLock { $0 = true } }
}
