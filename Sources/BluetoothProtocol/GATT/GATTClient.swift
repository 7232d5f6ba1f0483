public import GatewayReports
public import ReceiverProtocol

/// One ATT link from its first byte to its last: agrees on the MTU, finds the receiver's characteristics, subscribes,
/// then carries frames and commands. It only decides; its owner sends, receives and keeps the time.
///
/// ATT allows one request in flight. The client survives any bytes: it counts and drops malformed and unexpected
/// packets, and answers each request with the error response that the standard demands.
public struct GATTClient: Sendable {
    public enum Event: Equatable, Sendable {
        /// The link is open. Always the first event; later ones change nothing.
        case opened
        case received([UInt8])
        /// A write with its id, which comes back in ``Action/writeFinished(_:_:)``.
        case write(UInt64, [UInt8])
        case timePassed
    }

    public enum Action: Equatable, Sendable {
        case send([UInt8])
        /// The subscription stands; frames may come from now on.
        case ready(Session)
        /// The value of a notification or indication.
        case frames([UInt8])
        /// The write with this id has ended. Nil when it succeeded: with a response, when the receiver confirmed it;
        /// without one, as soon as it was sent.
        case writeFinished(UInt64, TransportError?)
        /// The link is unusable. Always the last action.
        case failed(TransportError)
    }

    /// The result of discovery.
    public struct Session: Equatable, Sendable {
        public var profile: String
        /// The largest packet, bytes, 23 to 517. A longer frame arrives in pieces or truncated.
        public var mtu: Int
        public var usesIndications: Bool
        /// The longest value that one write can carry, bytes.
        public var maximumWriteLength: Int { mtu - 3 }
    }

    /// The link fails if a request stays unanswered for this long. The standard allows 30 s.
    public static let answerLimit = Duration.seconds(5)
    /// The MTU that we ask for: the largest attribute (512 bytes) with its header fits. ESP32 boards agree to it.
    public static let wantedMTU: UInt16 = 517
    public static let minimumMTU: UInt16 = 23
    /// The most writes that may wait for the one in flight. Further writes fail with `busy`.
    static let waitingWritesLimit = 16
    /// The most discovery requests for one link. A real receiver needs fewer than ten; the limit stops a server whose
    /// list never ends.
    static let discoveryLimit = 64

    enum State: Equatable, Sendable {
        /// Before ``Event/opened``. Next: exchangingMTU.
        case idle
        /// Waits for the answer to our MTU request. Next: findingService, whatever the answer.
        case exchangingMTU
        /// Searches for the service of the profile with this index. Next: findingCharacteristics if the server has it,
        /// otherwise findingService for the next profile.
        case findingService(Int)
        /// Collects the service's characteristics. Next: findingDescriptors.
        case findingCharacteristics(Search)
        /// Searches for the client configuration descriptor in this range of handles. Next: subscribing, or ready if
        /// the characteristic has no descriptor.
        case findingDescriptors(Search, from: UInt16, to: UInt16)
        case subscribing(Search)
        /// Frames and commands flow until the link ends.
        case ready
        case failed
    }

    struct Search: Equatable, Sendable {
        var profile: ReceiverProfile
        var service: ATTPDU.HandleRange
        var characteristics: [ATTPDU.Characteristic] = []
        var notify: ATTPDU.Characteristic?
    }

    let profiles: [ReceiverProfile]
    var state = State.idle
    private(set) var mtu = minimumMTU
    var notifyHandle: UInt16 = 0
    var write: ATTPDU.Characteristic?
    var usesIndications = false
    var steps = 0
    private var request: ATTOpcode?
    private var answerDueAt: MonotonicTime?
    /// The id of the write that waits for its response.
    private var writeInFlight: UInt64?
    private var waitingWrites: [(id: UInt64, bytes: [UInt8])] = []
    /// The number of packets that were malformed, unexpected, or for another handle.
    public private(set) var ignored = 0

    public init(profiles: [ReceiverProfile] = ReceiverProfile.all) {
        self.profiles = profiles
    }

    /// The next instant at which ``Event/timePassed`` has an effect; nil if it has none.
    public var deadline: MonotonicTime? { answerDueAt }

    public mutating func handle(_ event: Event, at now: MonotonicTime) -> [Action] {
        var actions: [Action] = []
        switch event {
        case .opened where state == .idle:
            state = .exchangingMTU
            ask(.mtuRequest, with: [UInt8](littleEndian: Self.wantedMTU), at: now, &actions)
        case .opened: break  // Only the first one counts.
        case .received(let bytes): received(bytes, at: now, &actions)
        case .write(let id, let bytes): submit(bytes, as: id, at: now, &actions)
        case .timePassed:
            guard let answerDueAt, now >= answerDueAt else { break }
            fail(
                .timedOut,
                because:
                    "the receiver is connected but does not answer (\(step), \(Self.answerLimit.components.seconds) s)",
                &actions)
        }
        return actions
    }

    mutating func ask(
        _ opcode: ATTOpcode, with parameters: [UInt8], at now: MonotonicTime, _ actions: inout [Action]
    ) {
        request = opcode
        answerDueAt = now.advanced(by: Self.answerLimit)
        actions.append(.send([opcode.rawValue] + parameters))
    }

    mutating func fail(_ code: TransportError.Code, because detail: String, _ actions: inout [Action]) {
        guard state != .failed else { return }
        state = .failed
        answerDueAt = nil
        let error = TransportError(code, detail)
        for id in [writeInFlight].compactMap(\.self) + waitingWrites.map(\.id) {
            actions.append(.writeFinished(id, error))
        }
        (writeInFlight, waitingWrites) = (nil, [])
        actions.append(.failed(error))
    }

    private var step: String {
        switch state {
        case .idle, .failed: "no step"
        case .exchangingMTU: "MTU exchange"
        case .findingService: "service discovery"
        case .findingCharacteristics: "characteristic discovery"
        case .findingDescriptors: "descriptor discovery"
        case .subscribing: "subscription"
        case .ready: "write"
        }
    }

    // MARK: - From the server

    private mutating func received(_ bytes: [UInt8], at now: MonotonicTime, _ actions: inout [Action]) {
        guard state != .idle, state != .failed else { return }
        switch ATTPDU(bytes) {
        case .notification(let handle, let value): deliver(value, from: handle, &actions)
        case .indication(let handle, let value):
            actions.append(.send([ATTOpcode.confirmation.rawValue]))
            deliver(value, from: handle, &actions)
        case .mtuRequest(let theirs):
            mtu = agreed(theirs)
            actions.append(.send([ATTOpcode.mtuResponse.rawValue] + [UInt8](littleEndian: Self.wantedMTU)))
        case .request(let opcode):
            // We offer no attributes. Handle 0 as for a request that is not understood.
            actions.append(
                .send([ATTOpcode.errorResponse.rawValue, opcode, 0, 0, ATTErrorCode.requestNotSupported.rawValue]))
        case .error(let request, _, let code) where request == self.request?.rawValue:
            answered(.failure(code), at: now, &actions)
        case .some(let pdu) where pdu.opcode != nil && pdu.opcode == request?.response:
            answered(.success(pdu), at: now, &actions)
        case .error, .mtuResponse, .services, .characteristics, .descriptors, .writeResponse, .ignored: ignored += 1
        case nil:
            ignored += 1
            // The server will not repeat a malformed answer: fail at once.
            if let first = bytes.first, first == request?.response?.rawValue {
                fail(.invalidData, because: "the receiver's answer makes no sense (\(step))", &actions)
            }
        }
    }

    private mutating func deliver(_ value: ArraySlice<UInt8>, from handle: UInt16, _ actions: inout [Action]) {
        // Frames may arrive before the response to the subscription.
        guard handle == notifyHandle, handle != 0, !value.isEmpty else { return ignored += 1 }
        actions.append(.frames(Array(value)))
    }

    private func agreed(_ theirs: UInt16) -> UInt16 { max(Self.minimumMTU, min(theirs, Self.wantedMTU)) }

    private mutating func answered(
        _ answer: Result<ATTPDU, ATTErrorCode>, at now: MonotonicTime, _ actions: inout [Action]
    ) {
        (request, answerDueAt) = (nil, nil)
        switch state {
        case .idle, .failed: break  // No request is in flight.
        case .exchangingMTU:
            // A server that refuses the exchange keeps the minimum of 23.
            if case .success(.mtuResponse(let theirs)) = answer { mtu = agreed(theirs) }
            findService(0, at: now, &actions)
        case .findingService(let index): serviceAnswered(answer, ofProfile: index, at: now, &actions)
        case .findingCharacteristics(let search): characteristicsAnswered(answer, in: search, at: now, &actions)
        case .findingDescriptors(let search, let from, let to):
            descriptorsAnswered(answer, in: search, from: from, to: to, at: now, &actions)
        case .subscribing(let search):
            if case .failure(let code) = answer {
                return fail(.unreachable, because: "the receiver refuses the subscription: \(code)", &actions)
            }
            becomeReady(search, at: now, &actions)
        case .ready:
            guard let id = writeInFlight else { return }
            writeInFlight = nil
            var error: TransportError?
            if case .failure(let code) = answer {
                error = TransportError(.unreachable, "the receiver refuses the write: \(code)")
            }
            actions.append(.writeFinished(id, error))
            writeNext(at: now, &actions)
        }
    }

    // MARK: - Writing

    private mutating func submit(_ bytes: [UInt8], as id: UInt64, at now: MonotonicTime, _ actions: inout [Action]) {
        guard state != .failed, waitingWrites.count < Self.waitingWritesLimit else {
            return actions.append(.writeFinished(id, TransportError(.busy, "too many writes wait for the receiver")))
        }
        waitingWrites.append((id, bytes))
        writeNext(at: now, &actions)
    }

    mutating func writeNext(at now: MonotonicTime, _ actions: inout [Action]) {
        while state == .ready, request == nil, !waitingWrites.isEmpty {
            let (id, bytes) = waitingWrites.removeFirst()
            guard let write, !write.properties.isDisjoint(with: [.write, .writeWithoutResponse]) else {
                actions.append(.writeFinished(id, TransportError(.notFound, "the receiver takes no commands")))
                continue
            }
            guard bytes.count <= Int(mtu) - 3 else {
                let detail = "\(bytes.count) bytes don't fit into a packet of \(mtu)"
                actions.append(.writeFinished(id, TransportError(.invalidData, detail)))
                continue
            }
            let parameters = [UInt8](littleEndian: write.value) + bytes
            if write.properties.contains(.write) {
                writeInFlight = id
                ask(.writeRequest, with: parameters, at: now, &actions)
            } else {
                actions.append(.send([ATTOpcode.writeCommand.rawValue] + parameters))
                actions.append(.writeFinished(id, nil))
            }
        }
    }
}

extension ATTPDU {
    /// The opcode of a response, to match it with its request; nil for other packets.
    fileprivate var opcode: ATTOpcode? {
        switch self {
        case .mtuResponse: .mtuResponse
        case .services: .findByTypeValueResponse
        case .characteristics: .readByTypeResponse
        case .descriptors: .findInformationResponse
        case .writeResponse: .writeResponse
        case .error, .notification, .indication, .mtuRequest, .request, .ignored: nil
        }
    }
}
