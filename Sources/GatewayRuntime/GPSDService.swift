import FlightMath
public import Gateway
import GatewayReports
public import Logging
import ReceiverProtocol
public import ServiceLifecycle

/// Keeps a connection to gpsd open and sends its fixes to the machine.
public struct GPSDService: Service {
    /// A connection without data for this long is closed as dead.
    static let silence = Duration.seconds(10)
    /// The least pauses between attempts to reach an absent gpsd. The first are short, as gpsd may be starting, too.
    static let absences = [1, 3, 9, 20].map { Duration.seconds($0) }

    private let transport: any ReceiverTransport
    private let inputs: GatewayInputs
    private let clock: any GatewayClock
    private let log: Logger

    /// - Parameters:
    ///   - transport: connects to gpsd, or to a simulated one.
    ///   - clock: measures the silence.
    public init(transport: any ReceiverTransport, inputs: GatewayInputs, clock: any GatewayClock, log: Logger) {
        self.transport = transport
        self.inputs = inputs
        self.clock = clock
        self.log = log
    }

    public func run() async throws {
        await cancelWhenGracefulShutdown { await keepConnected() }
    }

    private func keepConnected() async {
        var backoff = Backoff()
        var misses = 0
        // Most machines have no gpsd, so its absence is logged once.
        var isAbsenceLogged = false
        var repeats = RepeatedFaults()
        while !Task.isCancelled {
            let pause = backoff.delay(random: Double.random(in: 0..<1))
            let wait = misses > 0 ? max(pause, Self.absences[min(misses, Self.absences.count) - 1]) : pause
            await clock.sleep(until: clock.now.monotonic.advanced(by: wait))
            guard !Task.isCancelled else { return }
            do throws(TransportError) {
                let connection = try await transport.connect { _ in }
                repeats.log(
                    "gpsd connected", isFault: false, level: .info, facts: ["at": "\(transport.name)"], to: log,
                    at: clock.now.monotonic)
                (misses, isAbsenceLogged) = (0, false)
                await inputs.send(.carConnection(.gpsd, isOpen: true))
                let why = await follow(connection, &backoff)
                await inputs.send(.carConnection(.gpsd, isOpen: false))
                guard !Task.isCancelled else { return }
                repeats.log(
                    "gpsd lost; retrying", level: .info, facts: ["why": "\(why)"], to: log, at: clock.now.monotonic)
            } catch {
                misses += 1
                guard !isAbsenceLogged, !Task.isCancelled else { continue }
                isAbsenceLogged = repeats.log(
                    "no gpsd; retrying", level: .info, facts: ["at": "\(transport.name)", "why": "\(error.detail)"],
                    to: log, at: clock.now.monotonic)
            }
        }
    }

    /// - Returns: why the connection ended.
    private func follow(_ connection: any ReceiverConnection, _ backoff: inout Backoff) async -> String {
        let began = clock.now.monotonic
        let watch = SilenceWatch(clock: clock, limit: Self.silence, connection: connection)
        let watching = Task(executorPreference: inputs.executor) { await watch.run() }
        defer { watching.cancel() }
        do throws(TransportError) {
            try await connection.write(GPSDStream.watch)
            var stream = GPSDStream()
            var pace = FixPace()
            while let chunk = try await connection.next() {
                watch.heard()
                for message in stream.append(chunk.bytes) {
                    switch message {
                    case .fix(let fix):
                        if pace.lets(fix, at: clock.now.monotonic) { await inputs.send(.carFix(fix)) }
                    case .unreadable: await inputs.send(.carFixRefused(.unreadable, from: .gpsd))
                    case .noFix, .devices: break
                    }
                }
                // A gpsd that soon hangs up is tried less and less often.
                if clock.now.monotonic.duration(since: began) >= Self.silence { backoff.reset() }
            }
            await connection.close()
            return "it has ended"
        } catch {
            await connection.close()
            return watch.isSilent ? "nothing heard for \(Self.silence.components.seconds) seconds" : error.detail
        }
    }
}
