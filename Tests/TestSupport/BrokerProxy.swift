import Foundation

/// A proxy before a broker. It behaves in ways that mosquitto never does.
public final class BrokerProxy: Sendable {
    public enum Behaviour: Sendable {
        /// Closes the first connections instead of passing CONNECT on.
        case hangsUpOnConnect(times: Int)
        /// Behaves like RabbitMQ 3.10.
        case hangsUpOnVersion5
        /// Closes the first connections when it gets SUBSCRIBE.
        case hangsUpOnSubscribe(times: Int)
        /// Changes the first SUBACKs to refusals.
        case refusesSubscription(times: Int)
        /// Answers the first PUBLISH packets (QoS 1, MQTT 5) with PUBACK and this reason, and does not pass them on.
        case refusesMessages(reason: Int, times: Int)
        /// Answers what is above this number of messages in any second with PUBACK and this reason (QoS 1, MQTT 5), and
        /// does not pass it on.
        case takes(messagesPerSecond: Int, reason: Int)
        /// Hangs up when it gets a message of this topic: without a reason, or with DISCONNECT and this reason (MQTT 5).
        case forbids(topic: String, reason: Int? = nil)
        /// Hangs up when it gets more messages than this within the time.
        case limits(messages: Int, milliseconds: Int)
        /// Closes each connection after this time.
        case cutsAfter(milliseconds: Int)
        /// Passes each packet on after this time.
        case delays(milliseconds: Int)
        /// Passes so many bytes a second on to the broker, and what comes back half a second later.
        case carries(bytesPerSecond: Int)

        fileprivate var arguments: [String] {
            switch self {
            case .hangsUpOnConnect(let times): ["connect", "\(times)", "0", ""]
            case .hangsUpOnVersion5: ["version", "1000000", "0", ""]
            case .hangsUpOnSubscribe(let times): ["subscribe", "\(times)", "0", ""]
            case .refusesSubscription(let times): ["suback", "\(times)", "0", ""]
            case .refusesMessages(let reason, let times): ["publish", "\(times)", "\(reason)", ""]
            case .takes(let messages, let reason): ["takes", "\(messages)", "\(reason)", ""]
            case .forbids(let topic, let reason): ["topic", "1000000", "\(reason ?? 0)", topic]
            case .limits(let messages, let milliseconds): ["limit", "\(messages)", "\(milliseconds)", ""]
            case .cutsAfter(let milliseconds): ["cut", "0", "\(milliseconds)", ""]
            case .delays(let milliseconds): ["delay", "0", "\(milliseconds)", ""]
            case .carries(let bytesPerSecond): ["rate", "0", "\(bytesPerSecond)", ""]
            }
        }
    }

    public let port: Int
    public let child: Child

    private static let program = """
        import asyncio, signal, sys
        target, mode, left, reason = int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
        topic = sys.argv[5].encode()
        open_lines = set()
        async def packet(reader):
            head = await reader.readexactly(1)
            length = shift = 0
            while True:
                head += await reader.readexactly(1)
                length |= (head[-1] & 127) << shift
                shift += 7
                if head[-1] < 128: return head, await reader.readexactly(length)
        def spend(kind, *kinds):
            global left
            if mode not in kinds or left == 0: return False
            left -= 1
            return True
        async def out(reader, near, far):
            times = []
            while True:
                refuses = False
                head, body = await packet(reader)
                kind = head[0] >> 4
                if kind == 1 and (spend(kind, 'connect') or body[6] == 5 and spend(kind, 'version')): return
                if kind == 8 and spend(kind, 'subscribe'): return
                now = asyncio.get_running_loop().time()
                if kind == 3 and mode == 'takes':
                    times = [time for time in times if now - time < 1]
                    if len(times) < left: times.append(now)
                    elif not head[0] & 6: continue
                    else: refuses = True
                if kind == 3 and head[0] & 6 == 2 and (refuses or spend(kind, 'publish')):
                    place = 2 + int.from_bytes(body[:2], 'big')
                    near.write(bytes([0x40, 3]) + body[place:place + 2] + bytes([reason]))
                    continue
                if kind == 3 and topic and body[2:2 + int.from_bytes(body[:2], 'big')] == topic and spend(kind, 'topic'):
                    if reason: near.write(bytes([0xe0, 2, reason, 0]))
                    print('hung up', flush=True)
                    return
                if kind == 3 and mode == 'limit':
                    times = [time for time in times if now - time < reason / 1000] + [now]
                    if len(times) > left: return
                if mode == 'rate': await asyncio.sleep(len(head + body) / reason)
                later(far, head + body)
        def later(writer, data):
            pause = reason / 1000 if mode == 'delay' else 0.5 if mode == 'rate' else 0
            if pause: asyncio.get_running_loop().call_later(pause, writer.write, data)
            else: writer.write(data)
        async def back(reader, near):
            while True:
                head, body = await packet(reader)
                if head[0] >> 4 == 9 and spend(9, 'suback'): body = body[:-1] + bytes([0x80])
                later(near, head + body)
        async def serve(reader, near):
            inner, far = await asyncio.open_connection('127.0.0.1', target)
            open_lines.add(near)
            tasks = [asyncio.create_task(out(reader, near, far)), asyncio.create_task(back(inner, near))]
            limit = reason / 1000 if mode == 'cut' else None
            await asyncio.wait(tasks, timeout=limit, return_when=asyncio.FIRST_COMPLETED)
            open_lines.discard(near)
            near.close(); far.close()
            for task in tasks: task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        async def main():
            async with await asyncio.start_server(serve, '127.0.0.1', 0) as server:
                print(server.sockets[0].getsockname()[1], flush=True)
                cut = lambda: [line.transport.abort() for line in open_lines]
                asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, cut)
                await server.serve_forever()
        asyncio.run(main())
        """

    /// Cuts all connections.
    public func cut() { child.kill(SIGUSR1) }

    /// How often the proxy hung up over a forbidden topic.
    public var hangUps: Int { child.wholeText.split(separator: "\n").count { $0 == "hung up" } }

    /// - Parameter target: the broker's port.
    public init(port target: Int, _ behaviour: Behaviour) async throws {
        let child = try Child("python3", ["-c", Self.program, "\(target)"] + behaviour.arguments)
        self.child = child
        port = try await eventually("a port: \(child.text)") { child.lines.first.flatMap { Int($0) } }
    }
}
