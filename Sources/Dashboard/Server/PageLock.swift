import Glibc
import NIOCore
import NIOHTTP1
import Synchronization

/// The page's key (`dashboard.key_file`). Without it nobody gets anything but `/api/health`, from this machine either:
/// what comes through a proxy here looks as if it came from here.
///
/// | a request | answer |
/// | --- | --- |
/// | for `/api/health` | as without a key |
/// | `/?key=…` with the key | a cookie for 90 days, and on to the page |
/// | with the cookie | as without a key |
/// | with a wrong key, in the address or in the cookie | 401; after the fifth different one in a minute 429 |
/// | without a key | 401 |
///
/// The limit holds for each address (of IPv6 for each network of 64 bits, because a guest chooses the other 64
/// himself), so that a guesser does not lock out the crew. While it holds, the right key gets 429, too. Otherwise
/// guessing would go on. An address that has sent the right key before is let in: a guest of the same network, or
/// another site's picture in the crew's browser, does not lock it out.
final class PageLock: Sendable {
    static let cookieDays = 90
    /// The most different wrong keys from one address in ``window``.
    static let mostWrongKeys = 5
    static let window = TimeAmount.minutes(1)
    /// The most addresses that are remembered. All others share one limit, but for those that have sent the right key.
    static let mostAddresses = 256
    private static let others = "others"
    /// A longer key is cut before it is remembered.
    private static let longestKey = 128

    private struct Guesses {
        var keys: Set<String> = []
        var since: NIODeadline
    }

    private let key: [UInt8]
    private let cookie: String
    private let now: @Sendable () -> NIODeadline
    private let guesses = Mutex<[String: Guesses]>([:])
    /// The addresses that have sent the right key, and their networks, which keep a limit of their own.
    private let crew = Mutex<Set<String>>([])

    /// - Parameters:
    ///   - key: letters, digits, `-` and `_`.
    ///   - port: the page's port. Browsers send cookies to every port of a host, so its name has the port.
    init(key: String, port: Int, now: @escaping @Sendable () -> NIODeadline = { .now() }) {
        self.key = Array(key.utf8)
        cookie = "sondygo2mqtt_\(port)"
        self.now = now
    }

    /// - Returns: the answer; nil if the request may go on.
    func answer(to request: Request) -> Answer? {
        guard request.path != "/api/health" else { return nil }
        let inAddress = request.path == "/" && request.method == .GET ? request.query["key"] : nil
        guard let given = inAddress ?? request.cookie(cookie) else {
            return refusal(of: request, text: "this page needs its key: open the link or the QR code of the page")
        }
        let isRight = isKey(given)
        guard mayTry(given, isRight: isRight, from: request.client) else {
            var answer = refusal(
                of: request, status: .tooManyRequests, page: LockedPage.tooManyKeys,
                text: "too many wrong keys; try again in a minute")
            answer.headers.append(("Retry-After", "60"))
            return answer
        }
        guard isRight else { return refusal(of: request, text: "this is not the page's key (any more)") }
        return inAddress == nil ? nil : entry
    }

    /// A person who opens the page gets `page`; a program gets the sentence.
    private func refusal(
        of request: Request, status: HTTPResponseStatus = .unauthorized, page: String = LockedPage.keyNeeded,
        text: String
    ) -> Answer {
        guard request.path == "/" else { return .refusal(status, text) }
        return Answer(
            status, headers: [("Content-Type", "text/html; charset=utf-8"), ("Cache-Control", "no-store")],
            body: .bytes(ByteBuffer(string: page)))
    }

    /// Sets the cookie and then opens the page. A redirect would not do: after a link on another site the browser does
    /// not send a strict cookie with it.
    private var entry: Answer {
        let attributes = "HttpOnly; SameSite=Strict; Path=/; Max-Age=\(Self.cookieDays * 86_400)"
        let text = """
            <!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=./"><title>sondygo2mqtt</title>
            <p><a href="./">Open the page</a></p>

            """
        return Answer(
            .ok,
            headers: [
                ("Set-Cookie", "\(cookie)=\(String(decoding: key, as: UTF8.self)); \(attributes)"),
                ("Content-Type", "text/html; charset=utf-8"), ("Cache-Control", "no-store"),
            ], body: .bytes(ByteBuffer(string: text)))
    }

    /// Takes the same time for each key of one length.
    private func isKey(_ text: String) -> Bool {
        let given = Array(text.utf8)
        guard given.count == key.count else { return false }
        return zip(given, key).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }

    /// Counts a wrong key. A tablet with an old cookie sends the same one with each request, which counts once.
    private func mayTry(_ given: String, isRight: Bool, from client: String) -> Bool {
        let now = now()
        return guesses.withLock { guesses in
            guesses = guesses.filter { now - $0.value.since < Self.window }
            let network = Self.network(of: client)
            var place = network
            let (isCrew, isProven) = crew.withLock { ($0.contains(network), $0.contains(client)) }
            if isRight, isProven { return true }
            if guesses[place] == nil, !isCrew, guesses.count >= Self.mostAddresses { place = Self.others }
            if guesses[place]?.keys.count ?? 0 > Self.mostWrongKeys { return false }
            if isRight {
                crew.withLock { if $0.count < Self.mostAddresses { $0.formUnion([network, client]) } }
                return true
            }
            guesses[place, default: Guesses(since: now)].keys.insert(String(given.prefix(Self.longestKey)))
            return guesses[place]?.keys.count ?? 0 <= Self.mostWrongKeys
        }
    }
}

extension PageLock {
    /// The first 64 bits of an IPv6 address; another address as it is.
    static func network(of client: String) -> String {
        var bytes = [UInt8](repeating: 0, count: 16)
        guard inet_pton(AF_INET6, client, &bytes) == 1 else { return client }
        // An IPv4 address in IPv6's form.
        let isOld = bytes[..<10].allSatisfy { $0 == 0 } && bytes[10] == 0xff && bytes[11] == 0xff
        return isOld ? client : bytes[..<8].map { String($0, radix: 16) }.joined(separator: ":")
    }
}

extension SocketAddress {
    /// The address is this machine's loopback, also as an IPv4 address within IPv6.
    var isLoopback: Bool {
        guard let ipAddress else { return false }
        let name = ipAddress.lowercased()
        return name == "::1" || name.hasPrefix("127.") || name.hasPrefix("::ffff:127.")
    }
}

extension Request {
    /// The value of a cookie; nil if there is none.
    func cookie(_ name: String) -> String? {
        for header in headers["cookie"] {
            for pair in header.split(separator: ";") {
                let sides = pair.split(separator: "=", maxSplits: 1)
                if sides.count == 2, sides[0].drop(while: { $0 == " " }) == name { return String(sides[1]) }
            }
        }
        return nil
    }
}
