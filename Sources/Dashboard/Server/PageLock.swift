import NIOCore
import NIOHTTP1

/// The page's key (`dashboard.key_file`). Without it nobody gets anything but `/api/health`, from this machine either:
/// what comes through a proxy here looks as if it came from here.
///
/// | a request | answer |
/// | --- | --- |
/// | for `/api/health` | as without a key |
/// | `/?key=…` with the key | a cookie for 90 days, and on to the page |
/// | with the cookie | as without a key |
/// | without a key, or with a wrong one in the address or in the cookie | 401 |
///
/// Wrong keys are not counted. `setup` makes a key of 100 random bits, which nobody guesses; a limit would only give others
/// a way to lock the crew out.
struct PageLock: Sendable {
    static let cookieDays = 90

    private let key: [UInt8]
    private let cookie: String

    /// - Parameters:
    ///   - key: letters, digits, `-` and `_`.
    ///   - port: the page's port. Browsers send cookies to every port of a host, so its name has the port.
    init(key: String, port: Int) {
        self.key = Array(key.utf8)
        cookie = "sondygo2mqtt_\(port)"
    }

    /// - Returns: the answer; nil if the request may go on.
    func answer(to request: Request) -> Answer? {
        guard request.path != "/api/health" else { return nil }
        let inAddress = request.path == "/" && request.method == .GET ? request.query["key"] : nil
        guard let given = inAddress ?? request.cookie(cookie) else {
            return refusal(of: request, text: "this page needs its key: open the link or the QR code of the page")
        }
        guard isKey(given) else { return refusal(of: request, text: "this is not the page's key (any more)") }
        return inAddress == nil ? nil : entry
    }

    /// A person who opens the page reads where its key is; a program gets the sentence.
    private func refusal(of request: Request, text: String) -> Answer {
        guard request.path == "/" else { return .refusal(.unauthorized, text) }
        return Answer(
            .unauthorized, headers: [("Content-Type", "text/html; charset=utf-8"), ("Cache-Control", "no-store")],
            body: .bytes(ByteBuffer(string: LockedPage.keyNeeded)))
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
