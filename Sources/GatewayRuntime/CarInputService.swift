import FlightMath
public import Gateway
import GatewayReports
public import Logging
import ReceiverProtocol
public import ServiceLifecycle

/// Keeps one stream of the car's positions open and sends its fixes to the machine.
public struct CarInputService: Service {
    /// The least pauses between attempts to reach an absent source. The first are short, as gpsd may be starting, too.
    private static let absence = RetryPauses(first: .seconds(1), longest: .seconds(20))
    /// A connection that lasted so long was a good one.
    private static let goodConnection = Duration.seconds(10)

    private let input: CarInput
    private let inputs: GatewayInputs
    private let clock: any GatewayClock
    private let log: Logger

    /// - Parameter clock: measures the silence.
    public init(_ input: CarInput, inputs: GatewayInputs, clock: any GatewayClock, log: Logger) {
        self.input = input
        self.inputs = inputs
        self.clock = clock
        self.log = log
    }

    public func run() async throws {
        await cancelWhenGracefulShutdown { await keepConnected() }
    }

    private func keepConnected() async {
        let (source, transport) = (input.source, input.transport)
        var backoff = Backoff()
        var misses = 0
        // Each reason of an absence is logged once: most machines have no gpsd.
        var loggedAbsence: TransportError.Code?
        var repeats = RepeatedFaults()
        while !Task.isCancelled {
            let pause = backoff.delay(random: Double.random(in: 0..<1))
            let wait = misses > 0 ? max(pause, Self.absence.pause(after: misses - 1)) : pause
            await clock.sleep(until: clock.now.monotonic.advanced(by: wait))
            guard !Task.isCancelled else { return }
            do throws(TransportError) {
                let connection = try await transport.connect { _ in }
                repeats.log(
                    input.silenceLimit == nil ? "\(source.rawValue) listens" : "\(source.rawValue) connected",
                    isFault: false, level: .info, facts: ["at": "\(transport.name)"], to: log, at: clock.now.monotonic)
                (misses, loggedAbsence) = (0, nil)
                await tell(isOpen: true)
                let why = await follow(connection, &backoff)
                await tell(isOpen: false)
                guard !Task.isCancelled else { return }
                repeats.log(
                    "\(source.rawValue) lost; retrying", level: input.faultLevel,
                    facts: ["at": "\(transport.name)", "why": "\(why)"], to: log, at: clock.now.monotonic)
            } catch {
                misses += 1
                guard loggedAbsence != error.code, !Task.isCancelled else { continue }
                let isLogged = repeats.log(
                    "no \(source.rawValue); retrying", level: input.faultLevel,
                    facts: ["at": "\(transport.name)", "why": "\(error.detail)"], to: log, at: clock.now.monotonic)
                if isLogged { loggedAbsence = error.code }
            }
        }
    }

    /// Only gpsd's connection is reported.
    private func tell(isOpen: Bool) async {
        if input.source == .gpsd { await inputs.send(.carConnection(.gpsd, isOpen: isOpen)) }
    }

    /// - Returns: why the connection ended.
    private func follow(_ connection: any ReceiverConnection, _ backoff: inout Backoff) async -> String {
        let began = clock.now.monotonic
        let watch = input.silenceLimit.map { SilenceWatch(clock: clock, limit: $0, connection: connection) }
        let watching = Task(executorPreference: inputs.executor) { await watch?.run() }
        defer { watching.cancel() }
        do throws(TransportError) {
            var stream = input.makeStream()
            let greeting = type(of: stream).greeting
            if !greeting.isEmpty { try await connection.write(greeting) }
            var paces = Paces()
            while let chunk = try await connection.next() {
                watch?.heard()
                for message in stream.messages(in: chunk.bytes) { await send(message, &paces) }
                // A source that soon hangs up is tried less and less often.
                if clock.now.monotonic.duration(since: began) >= Self.goodConnection { backoff.reset() }
            }
            await connection.close()
            return "it has ended"
        } catch {
            await connection.close()
            let limit = input.silenceLimit?.components.seconds ?? 0
            return watch?.isSilent == true ? "nothing heard for \(limit) seconds" : error.detail
        }
    }

    private struct Paces {
        var fixes = FixPace()
        var refusals = FixPace()
    }

    private func send(_ message: CarMessage, _ paces: inout Paces) async {
        let now = clock.now.monotonic
        switch message {
        case .fix(var fix):
            fix.device = fix.device ?? input.device
            if paces.fixes.lets(fix, at: now) { await inputs.send(.carFix(fix)) }
        case .unreadable:
            guard paces.refusals.lets(device: nil, at: now) else { return }
            await inputs.send(.carFixRefused(.unreadable, from: input.source))
        case .noFix, .other: break
        }
    }
}
