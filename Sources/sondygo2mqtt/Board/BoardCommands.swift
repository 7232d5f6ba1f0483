import Dashboard
import FleetBoard
import FlightMath
import Gateway
import GatewayRuntime
import MosquittoClient
import Synchronization

/// Sends the page's commands to cars, and waits for their final answers.
final class BoardCommands: Sendable {
    /// How long a car has for its final answer.
    private static let limit = Duration.seconds(10)
    /// The most commands that wait for their answers.
    private static let most = 64

    private let client: MosquittoClient
    private let book: FleetState
    private let base: String
    private let clock = SystemGatewayClock()
    private let waiting = Mutex<[String: AsyncStream<[UInt8]>.Continuation]>([:])

    init(_ client: MosquittoClient, _ book: FleetState, base: String) {
        self.client = client
        self.book = book
        self.base = base
    }

    /// A message on some car's `command/response`.
    func heard(_ payload: [UInt8]) {
        // Most answers are to others' commands.
        guard waiting.withLock({ !$0.isEmpty }), let id = FleetOrder.idOfFinalAnswer(in: payload) else { return }
        waiting.withLock { _ = $0[id]?.yield(payload) }
    }

    /// Sends a command to its car, and waits for the final answer.
    /// - Parameter body: as ``FleetOrder`` reads it.
    /// - Returns: the car's final answer, or the reason why there is none.
    func send(_ body: [UInt8]) async -> BoardSurroundings.Outcome {
        guard let order = FleetOrder(body) else {
            return .refused("send {\"car\":\"car2\",\"hunt\":\"V4210150\"}; null takes the sonde back")
        }
        do throws(FleetBook.Objection) {
            let now = clock.now
            try book.value.withLock { book throws(FleetBook.Objection) in try book.checkReach(of: order.car, at: now) }
        } catch {
            return .unreachable("\(order.car) is not reachable: \(error.text)")
        }
        let id = BrokerExchange.newTag("board")
        let (answers, continuation) = AsyncStream<[UInt8]>.makeStream(bufferingPolicy: .bufferingOldest(1))
        let isWaiting = waiting.withLock { waiting in
            guard waiting.count < Self.most else { return false }
            waiting[id] = continuation
            return true
        }
        guard isWaiting else { return .unreachable("too many commands wait for their answers") }
        defer { waiting.withLock { $0[id] = nil } }
        // QoS 0: no server keeps it for a car that is away.
        let message = OutgoingMessage(
            topic: "\(base)/\(order.car)/command", payload: order.payload(id: id, at: clock.now.wall), qos: 0)
        guard client.publish(message) == .taken else { return .unreachable("the board has no broker") }
        let clock = Task {
            try await Task.sleep(for: Self.limit)
            continuation.finish()
        }
        defer { clock.cancel() }
        for await answer in answers { return .answered(answer) }
        return .unreachable("\(order.car) is not reachable: no answer within \(Self.limit.components.seconds) s")
    }
}

extension FleetBook.Objection {
    fileprivate var text: String {
        switch self {
        case .unknown: "nothing is known of it"
        case .silent: "it has been silent for more than 75 s"
        case .offline: "its gateway is offline"
        case .unconnected: "it has no connection to the fleet"
        }
    }
}
