import FlightMath
public import Gateway
import GatewayReports
public import Logging
import ReceiverProtocol
public import ServiceLifecycle
import TransportIO

/// Keeps a link to the receiver open and turns its bytes into frames.
public struct ReceiverService: Service {
    private let transport: any ReceiverTransport
    private let link: OpenLink
    private let inputs: GatewayInputs
    private let recorder: RawLogRecorder
    private let log: Logger
    /// The service, and with it the program, ends at the end of a finite source (a recording).
    private let endsWithSource: Bool
    /// Real time, for the intervals between repeated log lines: the flight may be simulated.
    private let realClock = SystemGatewayClock()

    public init(
        transport: any ReceiverTransport, link: OpenLink, inputs: GatewayInputs, recorder: RawLogRecorder, log: Logger,
        endsWithSource: Bool = false
    ) {
        self.transport = transport
        self.link = link
        self.inputs = inputs
        self.recorder = recorder
        self.log = log
        self.endsWithSource = endsWithSource
    }

    /// - Throws: why a finite source is unreadable, if the program ends with its source.
    public func run() async throws {
        let failure = await cancelWhenGracefulShutdown { () -> TransportError? in
            // A recording begins at once. Wait for the first attempt to connect, so that the broker gets its beginning.
            if endsWithSource { await inputs.waitUntilBrokerWasTried() }
            let failure = await keepConnectedAndReport()
            if !endsWithSource { try? await gracefulShutdown() }
            return failure
        }
        // A cancelled task leaves the link open; the receiver serves no other client until it is closed.
        await link.close()
        await inputs.send(.linkClosed(.stopping))
        if endsWithSource, let failure { throw failure }
    }

    /// The most reports that wait for the machine. The oldest are dropped.
    private static let reportsLimit = 16

    private func keepConnectedAndReport() async -> TransportError? {
        let (reports, continuation) = AsyncStream<LinkReport>.makeStream(
            bufferingPolicy: .bufferingNewest(Self.reportsLimit))
        async let forwarding: Void = {
            for await report in reports { await inputs.send(.linkReport(report)) }
        }()
        let failure = await keepConnected { continuation.yield($0) }
        continuation.finish()
        await forwarding
        return failure
    }

    /// Returns when the task is cancelled or a finite source has ended.
    /// - Returns: why a finite source is unreadable; nil otherwise.
    private func keepConnected(_ report: @escaping @Sendable (LinkReport) -> Void) async -> TransportError? {
        var backoff = transport.backoff
        var repeats = RepeatedFaults()
        while !Task.isCancelled {
            let wait = backoff.delay(random: Double.random(in: 0..<1))
            await inputs.clock.sleep(until: inputs.clock.now.monotonic.advanced(by: wait))
            do throws(TransportError) {
                let connection = try await transport.connect(report: report)
                switch await follow(connection, &backoff, log: &repeats, report: report) {
                case .endOfRecording: return nil
                // Otherwise the good part of a damaged recording would play again and again.
                case .transport(let error) where error.code == .invalidData: return unreadable(error)
                case .transport, .silent, .stopping: break
                }
            } catch {
                guard !Task.isCancelled else { return nil }
                // A missing recording will not appear later.
                if error.code == .invalidData || endsWithSource { return unreadable(error) }
                repeats.log(
                    "can't open the receiver's link; retrying", level: .warning,
                    facts: ["link": "\(transport.name)", "why": "\(error.detail)"], to: log, at: realClock.now.monotonic
                )
                await inputs.send(.linkFailed(error))
            }
        }
        return nil
    }

    private func unreadable(_ error: TransportError) -> TransportError {
        log.error("recording can't be played", metadata: ["why": "\(error.detail)"])
        return error
    }

    /// A link with so many bytes and no frame says that something else sends, or that the speed is wrong.
    private static let suspiciousBytes = 16

    /// Reads one link to its end.
    private func follow(
        _ connection: any ReceiverConnection, _ backoff: inout Backoff, log repeats: inout RepeatedFaults,
        report: (LinkReport) -> Void
    ) async -> LinkLoss {
        link.opened(connection)
        recorder.linkOpened()
        await inputs.send(.linkOpened(connection.peer))
        var first = FramelessBytes()
        let loss = await readToEnd(connection, &backoff, log: &repeats, keeping: &first)
        await connection.close()
        link.closed()
        await inputs.send(.linkClosed(loss))
        // Over Bluetooth the characteristic's own identifier says who sends.
        if connection.peer.address == nil, !first.hasFrame, first.count >= Self.suspiciousBytes, loss != .stopping,
            loss != .endOfRecording
        {
            report(.unreadable)
            repeats.log(
                first.hasBootText
                    ? "the receiver restarts before it sends a frame: check its power supply and its cable"
                    : "bytes come, but no frame: is receiver.baud right, and is it the receiver?", level: .warning,
                facts: ["link": "\(transport.name)", "text": "\(first.text)"], to: log, at: realClock.now.monotonic)
        }
        return loss
    }

    private func readToEnd(
        _ connection: any ReceiverConnection, _ backoff: inout Backoff, log repeats: inout RepeatedFaults,
        keeping first: inout FramelessBytes
    ) async -> LinkLoss {
        var deframer = Deframer()
        while true {
            do throws(TransportError) {
                guard let chunk = try await connection.next() else { return .endOfRecording }
                let events = decode(chunk, with: &deframer, log: &repeats)
                first.append(chunk.bytes)
                if events.contains(where: \.isFrame) {
                    first.hasFrame = true
                    backoff.reset()
                }
                guard await send(events, of: chunk) else { return .stopping }
            } catch {
                return Task.isCancelled ? .stopping : .transport(error)
            }
        }
    }

    /// The most events in one input. Between two inputs the loop can handle a stop.
    private static let lot = 500

    /// - Returns: false if the task was cancelled, which drops the rest of a flood.
    private func send(_ events: [GatewayEvent], of chunk: ReceivedChunk) async -> Bool {
        let readAt = inputs.clock.now.earlier(at: chunk.at)
        guard events.count > Self.lot else {
            await inputs.send(events, at: readAt)
            return true
        }
        var rest = events[...]
        while !rest.isEmpty {
            if Task.isCancelled { return false }
            await inputs.send(Array(rest.prefix(Self.lot)), at: readAt)
            rest = rest.dropFirst(Self.lot)
        }
        return true
    }

    private func decode(
        _ chunk: ReceivedChunk, with deframer: inout Deframer, log repeats: inout RepeatedFaults
    ) -> [GatewayEvent] {
        recorder.record(chunk, readAt: { inputs.clock.now.earlier(at: chunk.at).wall })
        var events: [GatewayEvent] = []
        deframer.append(chunk.bytes.span, at: chunk.at) { run, bytes in
            switch run {
            case .frame(let frame): events.append(.frame(frame))
            case .rejected(let reason):
                events.append(.frameRejected(reason))
                guard let count = repeats.admits(reason.rawValue, at: realClock.now.monotonic) else { return }
                var facts: Logger.Metadata = ["reason": "\(reason.rawValue)"]
                if count > 1 { facts["times"] = "\(count)" }
                log.info(
                    reason == .bootText ? "the receiver has restarted" : "frame rejected", metadata: facts)
                let copy = bytes.withUnsafeBufferPointer { Array($0) }
                log.debug("bytes of the rejected frame", metadata: ["hex": "\(copy.hex)"])
            }
        }
        return events
    }
}

extension GatewayEvent {
    fileprivate var isFrame: Bool {
        if case .frame = self { true } else { false }
    }
}
