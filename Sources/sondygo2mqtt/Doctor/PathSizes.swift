import Gateway
import MosquittoClient

/// Finds the largest message that passes to the broker, where large ones are lost.
///
/// A tunnel or a cell carries smaller packets than this machine sends, and a router on the way does not say so. TCP then
/// repeats the large packet for ever. So each size has a session of its own, all at the same time.
struct PathSizes {
    let session: MosquittoConfiguration
    let topic: String

    /// The sizes of a message, in bytes.
    static let sizes = [500, 1000, 1200, 1300, 1400]
    /// A session that opens has its acknowledgement by then, on a slow line as well.
    private static let limit = Duration.seconds(10)

    func finding(at place: String) async -> Finding {
        let passed = await withTaskGroup(of: Int?.self, returning: [Int].self) { group in
            for size in Self.sizes { group.addTask { await passes(size) ? size : nil } }
            return await group.reduce(into: []) { sizes, size in if let size { sizes.append(size) } }
        }
        return Self.finding(passed: passed, at: place)
    }

    static func finding(passed: [Int], at place: String) -> Finding {
        let largest = passed.max().map { "messages of up to \($0) bytes" } ?? "no message of 500 bytes"
        return Finding.note(
            "broker",
            "\(place) accepts the gateway, but the path takes \(largest), and loses larger packets: lower the MTU "
                + "(sudo ip link set INTERFACE mtu 1280); the gateway sends small packets once it has noticed")
    }

    private func passes(_ size: Int) async -> Bool {
        var session = session
        session.clientID += "-\(size)"
        (session.will, session.subscriptions) = (nil, [])
        guard let client = try? MosquittoClient(session) else { return false }
        let message = OutgoingMessage(
            topic: topic, payload: Array(repeating: UInt8(ascii: " "), count: max(0, size - topic.utf8.count - 7)),
            key: 1)
        var hasPassed = false
        await client.serve(within: Self.limit) { event in
            switch event {
            case .connected: _ = client.publish(message)
            case .acknowledged:
                hasPassed = true
                await client.stop()
            case .connectFailed, .disconnected: await client.stop()
            case .lacks, .downgraded, .message, .oversized, .drained, .returned, .refused, .subscriptionRefused,
                .subscriptionAccepted:
                break  // They say nothing about sizes.
            }
        }
        return hasPassed
    }
}
