import Foundation
import GatewayReports
import NIOCore
import NIOHTTP1
import TestSupport
import Testing

@testable import Dashboard

/// The page's key: who gets in.
@Suite(.timeLimit(.minutes(10))) struct PageLockTests {
    private static let key = "correct-horse_77"
    private static let cookie = "sondygo2mqtt_8080=\(key)"
    private let lock = PageLock(key: key, port: 8080)

    /// - Returns: the answer's status; 0 if the request goes on to the page.
    private func status(
        _ uri: String, _ method: HTTPMethod = .GET, cookie: String? = nil, from address: String = "192.168.1.20"
    ) throws -> UInt {
        try answer(uri, method, cookie: cookie, from: address)?.status.code ?? 0
    }

    private func answer(
        _ uri: String, _ method: HTTPMethod = .GET, cookie: String? = nil, from address: String = "192.168.1.20"
    ) throws -> Answer? {
        var headers = HTTPHeaders([("Host", "car1.local:8080")])
        if let cookie { headers.add(name: "Cookie", value: cookie) }
        let head = HTTPRequestHead(version: .http1_1, method: method, uri: uri, headers: headers)
        return lock.answer(to: Request(head, from: try SocketAddress(ipAddress: address, port: 40_000)))
    }

    private static func text(_ answer: Answer?) throws -> String {
        guard case .bytes(let bytes) = try #require(answer).body else { return "" }
        return String(buffer: bytes)
    }

    /// A person without the key reads in each language where it is; a program gets one sentence.
    @Test func aPersonReadsWhereTheKeyIs() throws {
        for uri in ["/", "/?key=wrong"] {
            let page = try Self.text(answer(uri))
            for language in Language.allCases {
                #expect(page.contains("<p lang=\"\(language.rawValue)\">"), "LockedPage.keyNeeded lacks \(language)")
            }
            // The field has a name that can be seen, in each language.
            let label = try #require(page.firstMatch(of: /<label>(.*?)<input name="key"/))
            for language in Language.allCases {
                #expect(label.1.contains("<span lang=\"\(language.rawValue)\">\(language.phrasebook.key)</span>"))
                #expect(!language.phrasebook.key.isEmpty)
            }
            let commands = page.components(separatedBy: "<code>sudo sondygo2mqtt doctor</code>").count - 1
            #expect(commands == Language.allCases.count)
        }
        let text = try Self.text(answer("/main.js"))
        #expect(text == "this page needs its key: open the link or the QR code of the page\n")
    }

    @Test(
        arguments: [
            ("/", nil, 401), ("/api/events", nil, 401), ("/api/track?key=\(key)", nil, 401), ("/metrics", nil, 401),
            ("/maps/a/1/1/1", nil, 401), ("/flights/V1.gpx", nil, 401), ("/api/health", nil, 0),
            ("/?key=\(key)", nil, 200), ("/?a=b&key=\(key)", nil, 200), ("/?key=", nil, 401),
            ("/?key=\(key)x", nil, 401), ("/?key=Correct-horse_77", nil, 401), ("/", cookie, 0),
            ("/api/events", "a=b; \(cookie); c=d", 0), ("/", "sondygo2mqtt_8081=\(key)", 401),
            ("/", "xsondygo2mqtt_8080=\(key)", 401), ("/", cookie + "x", 401), ("/", "sondygo2mqtt_8080=", 401),
        ] as [(String, String?, UInt)])
    func whoGetsIn(_ uri: String, _ cookie: String?, _ status: UInt) throws {
        #expect(try self.status(uri, cookie: cookie) == status)
    }

    @Test func commandsNeedTheCookie() throws {
        #expect(try status("/api/command", .POST) == 401)
        #expect(try status("/?key=\(Self.key)", .POST) == 401)
        #expect(try status("/api/command", .POST, cookie: Self.cookie) == 0)
    }

    /// Also this machine's own browser: nginx with its defaults forwards from here and adds no header.
    @Test(arguments: ["127.0.0.1", "::1", "::ffff:127.0.0.1", "10.0.0.1", "fe80::1"])
    func everyMachineNeedsTheKey(_ address: String) throws {
        #expect(try status("/", from: address) == 401)
        #expect(try status("/api/command", .POST, from: address) == 401)
        #expect(try status("/api/command", .POST, cookie: Self.cookie, from: address) == 0)
        #expect(try status("/api/health", from: address) == 0)
    }

    /// The cookie can't be read by scripts, and no other site's link or form sends it.
    @Test func theCookie() throws {
        let answer = try #require(try answer("/?key=\(Self.key)"))
        let cookie = answer.headers.first { $0.name == "Set-Cookie" }?.value
        #expect(cookie == "\(Self.cookie); HttpOnly; SameSite=Strict; Path=/; Max-Age=7776000")
        #expect(answer.headers.contains { $0 == ("Cache-Control", "no-store") })
    }

    /// A guest of the crew's network, another site's pictures in the crew's own browser, or a tablet with an old cookie
    /// may send any number of wrong keys.
    @Test func wrongKeysLockNobodyOut() throws {
        for number in 0..<100 {
            #expect(try status("/?key=wrong-key-\(number)") == 401)
            #expect(try status("/app.js", cookie: "sondygo2mqtt_8080=old-key-\(number)") == 401)
        }
        #expect(try status("/?key=\(Self.key)") == 200)
        #expect(try status("/app.js", cookie: Self.cookie) == 0)
    }

    /// The board shares its streams among networks: a guest's many addresses of IPv6 are one.
    @Test(
        arguments: [
            ("192.168.1.20", "192.168.1.20"), ("::ffff:10.0.9.1", "::ffff:10.0.9.1"),
            ("fd00:1:2:3::7", "fd:0:0:1:0:2:0:3"),
            ("fd00:1:2:3:4:5:6:66", "fd:0:0:1:0:2:0:3"), ("fd00:1:2:4::7", "fd:0:0:1:0:2:0:4"),
        ])
    func networks(_ address: String, _ network: String) throws {
        #expect(try SocketAddress(ipAddress: address, port: 40_000).network == network)
    }

    @Test(
        arguments: [
            ("abcdefghijklmnop", true), ("A-Z_09-a-A-Z_09a", true), ("abcdefghijklmno", false),
            ("with space in the middle", false), ("semi;colon-semi;colon", false), ("ümlaut-key-ümlaut", false),
            ("line\nbreak-line-break", false), (String(repeating: "k", count: 129), false), ("", false),
        ])
    func keys(_ text: String, _ isKey: Bool) {
        #expect(DashboardOptions.isKey(text) == isKey)
    }

    /// Without the key one does not learn that commands are off.
    @Test func aCommandNeedsTheKeyFirst() async throws {
        let rig = try await DashboardRig(allowsCommands: false, key: Self.key, address: "0.0.0.0")
        try await rig.start()
        guard let address = try await ownAddress() else { return }
        let url = "http://\(address):\(rig.port)/api/command"
        for (cookie, status) in [("", "401"), ("sondygo2mqtt_\(rig.port)=\(Self.key)", "403")] {
            #expect(
                try await curl(url, "-H", "Content-Type: application/json", "-d", "{}", "-b", cookie) == status)
        }
    }

    /// The real server, from this machine and by its address in the network.
    @Test func theServerAsksOthersForTheKey() async throws {
        let rig = try await DashboardRig(key: Self.key, address: "0.0.0.0")
        try await rig.start()
        #expect(try await curl("http://127.0.0.1:\(rig.port)/") == "401")
        guard let address = try await ownAddress() else { return }
        let page = "http://\(address):\(rig.port)"
        #expect(try await curl("\(page)/") == "401")
        #expect(try await curl("\(page)/api/health") == "200")
        let jar = try temporaryDirectory().path + "/jar"
        #expect(try await curl("\(page)/?key=\(Self.key)", "-c", jar) == "200")
        #expect(try await curl("\(page)/", "-b", jar) == "200")
        #expect(try await curl("\(page)/api/events", "-b", jar, "-m", "1") == "200")
        let link = try Child("curl", ["-s", "-b", jar, "\(page)/api/link"])
        _ = try await link.exitCode()
        #expect(link.text == "{\"url\":\"\(page)/?key=\(Self.key)\",\"name\":null,\"here\":false}", "\(link.text)")
        await rig.stop()
    }

    /// - Returns: the status.
    private func curl(_ url: String, _ more: String...) async throws -> String {
        let child = try Child("curl", ["-s", "-o", "/dev/null", "-w", "%{http_code}"] + more + [url])
        _ = try await child.exitCode()
        return child.text
    }

    /// An IPv4 address of this machine in a network; nil if it has none.
    private func ownAddress() async throws -> String? {
        let child = try Child("hostname", ["-I"])
        _ = try await child.exitCode()
        return child.text.split(separator: " ").first { $0.contains(".") }.map { String($0) }
    }
}
