import Dashboard
import Foundation
import Gateway
import GatewayReports
import TestSupport
import Testing

/// The page server's answers and refusals.
@Suite(.timeLimit(.minutes(10))) struct DashboardTests {
    /// One request over a connection of its own.
    private func ask(
        _ rig: DashboardRig, _ target: String, method: String = "GET", host: String = "127.0.0.1",
        headers: [String] = [], body: String = ""
    ) async throws -> RawClient {
        try await rig.start()
        let client = try #require(RawClient(port: rig.port))
        let length = body.isEmpty ? [] : ["Content-Length: \(body.utf8.count)"]
        let lines = ["\(method) \(target) HTTP/1.1", "Host: \(host)", "Connection: close"] + headers + length
        client.send(lines.joined(separator: "\r\n") + "\r\n\r\n" + body)
        try await eventually("an answer to \(method) \(target)") {
            client.read()
            return client.isClosed.orNil
        }
        return client
    }

    private func command(
        _ rig: DashboardRig, _ body: String, headers: [String] = ["Content-Type: application/json"]
    ) async throws -> RawClient {
        try await ask(rig, "/api/command", method: "POST", headers: headers, body: body)
    }

    /// The page may be shown in a frame by the origin that is named, and by no other.
    @Test func theNamedOriginMayFrameThePage() async throws {
        let rig = try await DashboardRig(frameFrom: "https://ha.example:8123")
        let page = try await ask(rig, "/")
        #expect(page.text.contains("data:; frame-ancestors 'self' https://ha.example:8123\r\n"))
        #expect(!page.text.contains("X-Frame-Options"))
    }

    /// Home Assistant's ingress shows the page under the address of Home Assistant itself.
    @Test func pagesOfTheSameOriginMayFrameThePage() async throws {
        let rig = try await DashboardRig(frameFrom: DashboardOptions.sameOrigin)
        let page = try await ask(rig, "/")
        #expect(page.text.contains("data:; frame-ancestors 'self'\r\n") && !page.text.contains("X-Frame-Options"))
        #expect(DashboardOptions.isFramer("self") && !DashboardOptions.isOrigin("self"))
    }

    /// Home Assistant's ingress has checked its users, and passes on the name under which they see Home Assistant.
    @Test func aProxyAloneGetsThePage() async throws {
        let behind = try await DashboardRig(address: "::", onlyFrom: "127.0.0.1")
        #expect(try await ask(behind, "/", host: "home.example:8123").status == 200)
        let origin = ["Content-Type: application/json", "Origin: https://home.example"]
        let command = try await ask(
            behind, "/api/command", method: "POST", host: "home.example", headers: origin, body: "{\"mute\":true}")
        #expect([200, 202].contains(command.status))
        // No phone can open it, so there is no link for one.
        #expect(try await ask(behind, "/api/link").body.contains("\"url\":null"))
        let elsewhere = try await DashboardRig(onlyFrom: "172.30.32.2")
        #expect(try await ask(elsewhere, "/").status == 403)
        #expect(try await ask(elsewhere, "/api/state", method: "POST", headers: origin, body: "{}").status == 403)
        #expect(try await ask(elsewhere, "/api/health").status == 200)
    }

    @Test(
        arguments: [
            ("https://ha.example", true), ("http://192.168.1.4:8123", true), ("http://[fe80::1]:8123", true),
            ("ha.example", false), ("https://", false), ("https://ha.example/", false), ("https://*.example", false),
            ("https://ha.example; script-src *", false), ("https://ha.example\r\nX: y", false), ("*", false),
        ])
    func origins(_ text: String, _ isOrigin: Bool) { #expect(DashboardOptions.isOrigin(text) == isOrigin) }

    /// A thin line carries code; whoever reads the source finds the comments in the files.
    @Test(arguments: ["/drive/dial.js", "/map/towns.js", "/style/marks.css", "/board/rows.js", "/board/board.css"])
    func commentsAreNotSent(_ path: String) async throws {
        let rig = try await DashboardRig()
        let source = try Fixtures.text("deploy/page" + path)
        // A type that stands beside code stays with it.
        let comment = /(?m)^\s*(?:\/\/|\/\*|\*\/)/
        #expect(source.firstMatch(of: comment) != nil)
        let sent = try await ask(rig, path).body
        #expect(sent.firstMatch(of: comment) == nil, "\(path)")
        let left = sent.split(separator: "\n")
        #expect(left.last == source.split(separator: "\n").last && left.count > 10)
    }

    /// The page before its start, without JavaScript, and its list of languages.
    @Test func thePageHasEachLanguage() async throws {
        let rig = try await DashboardRig()
        let page = try await ask(rig, "/").body
        for language in Language.allCases {
            let (code, book) = (language.rawValue, language.phrasebook)
            for sentence in [book.starting, book.needsJavaScript] {
                #expect(!sentence.isEmpty && page.contains("<p lang=\"\(code)\">\(sentence)</p>"), "\(code)")
            }
            #expect(page.contains("\(code) \(book.name)"), "\(code)")
            #expect(try await ask(rig, "/languages/\(code).txt").status == 200)
        }
        for path in ["/", "/board/index.html"] {
            let html = try await ask(rig, path).body
            #expect(html.contains("<meta name=\"languages\" content=\"en English, de Deutsch, "), "\(path)")
            #expect(!html.contains("<!-- The languages") && !html.contains("<!-- The page "), "\(path)")
        }
    }

    @Test func filesAreServedWithTypeAndTag() async throws {
        let rig = try await DashboardRig()
        let page = try await ask(rig, "/")
        #expect(page.status == 200)
        #expect(page.text.contains("Content-Security-Policy: default-src 'self'; img-src 'self' data:"))
        #expect(page.text.contains("X-Frame-Options: DENY"))
        #expect(page.body.hasPrefix("<!DOCTYPE html>"))
        let tag = try #require(page.text.components(separatedBy: "\r\n").first { $0.hasPrefix("ETag: ") }).dropFirst(6)
        #expect(try await ask(rig, "/index.html", headers: ["If-None-Match: \(tag)"]).status == 304)
        let packed = try await ask(rig, "/main.js", headers: ["Accept-Encoding: gzip, br"])
        #expect(packed.text.contains("Content-Encoding: gzip"))
        #expect(packed.received.count < Data(try Fixtures.text("deploy/page/main.js").utf8).count)
        #expect(try await ask(rig, "/leaflet/leaflet.js").received.count > 100_000)
        let head = try await ask(rig, "/style/page.css", method: "HEAD")
        #expect(head.status == 200 && head.body.isEmpty && head.text.contains("Content-Length: "))
        #expect(try await ask(rig, "/base/world.bin", headers: ["Accept-Encoding: gzip"]).status == 200)
        #expect(try await ask(rig, "/drive/situation.js").text.contains("Content-Type: text/javascript"))
        #expect(try await ask(rig, "/drive").status == 404)
        let settings = try await ask(rig, "/api/settings").body
        #expect(settings.contains(#""key":"rs41.rxbw","field":"rs41_rxbw","min":0,"max":19,"khz":[2.6,"#))
        #expect(try await ask(rig, "/api/sonde-types").body == #"["RS41","M20","M10","PILOT","DFM","RD41"]"#)
    }

    @Test(arguments: [
        "/../etc/passwd", "/%2e%2e/etc/passwd", "/..%2fetc/passwd", "//etc/passwd", "/index.html%00.js", "/base",
        "/base/../index.html", "/maps/../../etc/passwd/1/1/1", "/flights/../../x.gpx", "/base/make.py", "/.git/config",
        "http://127.0.0.1/x", "/maps/a/99999999999999999999/0/0", "/maps/a/-1/0/0", "/flights/%00.gpx",
    ])
    func noPathReachesTheDisk(_ path: String) async throws {
        let rig = try await DashboardRig()
        #expect(try await ask(rig, path).status == 404)
    }

    /// Prometheus reads the newest health report.
    @Test func metrics() async throws {
        let rig = try await DashboardRig()
        rig.handle(.healthDue(ProcessHealth(residentBytes: 20_000_000)))
        let answer = try await ask(rig, "/metrics")
        #expect(answer.status == 200 && answer.text.contains("Content-Type: text/plain; version=0.0.4"))
        #expect(answer.body.contains("\nsondygo2mqtt_memory_resident_bytes 20000000\n"))
    }

    @Test func foreignHostNamesAreRefused() async throws {
        let rig = try await DashboardRig()
        for host in ["localhost", "LOCALHOST:\(rig.port)", "192.168.1.2:80", "[::1]:8080", "pi.local", "car.example"] {
            #expect(try await ask(rig, "/api/health", host: host).status == 200, "\(host)")
        }
        for host in [
            "evil.example", "car.example.evil.example", ".local", "local", "127.0.0.1.evil.example", "",
            "[::1].evil.example", "[::1]evil.example:80", "[::1", "localhost:80.evil.example", "127.0.0.1:evil",
        ] {
            #expect(try await ask(rig, "/api/health", host: host).status == 403, "\(host)")
        }
        #expect(try await ask(rig, "/", headers: ["Host: localhost"]).status == 400)
        let client = try #require(RawClient(port: rig.port))
        client.send("GET / HTTP/1.0\r\n\r\n")
        try await eventually("an answer") {
            client.read()
            return client.isClosed.orNil
        }
        #expect(client.status == 400)
    }

    @Test func wrongMethodsAndBodiesAreRefused() async throws {
        let rig = try await DashboardRig()
        #expect(try await ask(rig, "/", method: "DELETE").status == 405)
        #expect(try await ask(rig, "/api/command").status == 405)
        #expect(try await ask(rig, "/", method: "POST", headers: ["Content-Type: application/json"]).status == 405)
        let mute = #"{"mute":true}"#
        #expect(try await command(rig, mute, headers: []).status == 415)
        #expect(try await command(rig, mute, headers: ["Content-Type: text/plain"]).status == 415)
        let json = "Content-Type: application/json; charset=utf-8"
        #expect(try await command(rig, mute, headers: [json, "Origin: http://evil.example"]).status == 403)
        #expect(try await command(rig, mute, headers: [json, "Origin: http://127.0.0.1"]).status == 200)
        let long = String(repeating: "x", count: 5000)
        #expect(try await command(rig, long).status == 413)
        let chunked = try await ask(
            rig, "/api/command", method: "POST",
            headers: ["Content-Type: application/json", "Transfer-Encoding: chunked"])
        #expect(chunked.status == 408 || chunked.status == 400)
    }

    /// After the head of an answer in pieces comes the next answer.
    @Test(arguments: ["/api/track", "/live.kml", "/flights/current.csv", "/api/events", "/api/health"])
    func headRequestsHaveNoBody(_ path: String) async throws {
        let rig = try await DashboardRig()
        try await rig.start()
        let client = try #require(RawClient(port: rig.port))
        let rest = " HTTP/1.1\r\nHost: localhost\r\n"
        client.send("HEAD \(path)\(rest)\r\nGET /api/health\(rest)Connection: close\r\n\r\n")
        try await eventually("an answer") {
            client.read()
            return client.isClosed.orNil
        }
        let parts = client.text.split(separator: "\r\n\r\n", maxSplits: 1)
        #expect(parts.first?.hasPrefix("HTTP/1.1 ") == true)
        #expect(parts.dropFirst().allSatisfy { $0.hasPrefix("HTTP/1.1 200 ") }, "\(client.text)")
    }

    /// The connection ends after a request for another protocol, and after the client's sending side is closed. A
    /// client with HTTP/1.0 gets no chunks.
    @Test(arguments: [
        ("GET /api/health HTTP/1.1\r\nUpgrade: h2c", "connection: close"),
        ("CONNECT localhost:80 HTTP/1.1", "connection: close"), ("GET /api/health HTTP/1.1", "HTTP/1.1 200"),
        ("GET /api/events HTTP/1.0", "HTTP/1.0 200"),
    ])
    func theConnectionClosesWhenItMust(_ request: String, _ expected: String) async throws {
        var limits = ConnectionLimits()
        limits.request = .seconds(60)
        let rig = try await DashboardRig(limits: limits)
        try await rig.start()
        let client = try #require(RawClient(port: rig.port))
        let began = ContinuousClock.now
        client.send(request + "\r\nHost: localhost\r\n\r\n")
        let isStream = request.contains("events")
        if !isStream { client.shutDownWriting() }
        try await eventually("an answer") {
            client.read()
            return (isStream ? client.text.contains("event: ") : client.isClosed).orNil
        }
        #expect(client.text.lowercased().contains(expected.lowercased()), "\(client.text)")
        #expect(!client.text.lowercased().contains("transfer-encoding"))
        #expect(ContinuousClock.now - began < .seconds(20))
    }

    @Test func aCommandIsAnswered() async throws {
        let rig = try await DashboardRig()
        let offline = try await command(rig, #"{"mute":true,"id":"a"}"#)
        #expect(offline.status == 200)
        #expect(offline.body.contains(#""id":"a","command":"mute","status":"rejected""#))
        let done = try await command(rig, #"{"request":"info"}"#)
        #expect(done.body.contains(#""status":"done""#))
        #expect(try await command(rig, "rubbish").body.contains(#""code":"bad_json""#))
        // No receiver confirms this command.
        rig.openLink()
        rig.frame()
        let pending = try await command(rig, #"{"mute":true}"#)
        #expect(pending.status == 202)
        #expect(pending.body.contains(#""status":"accepted""#))
    }

    @Test func readOnlyRefusesCommands() async throws {
        let rig = try await DashboardRig(allowsCommands: false)
        let refused = try await command(rig, #"{"mute":true}"#)
        #expect(refused.status == 403)
        #expect(refused.body.contains("dashboard.commands"))
    }

    @Test func aHangingLoopMakesHealthFail() async throws {
        let rig = try await DashboardRig(answers: false)
        #expect(try await ask(rig, "/api/health").status == 503)
        #expect(try await command(rig, #"{"mute":true}"#).status == 503)
        #expect(try await ask(rig, "/").status == 200)
        let well = try await DashboardRig()
        #expect(try await ask(well, "/api/health").status == 200)
    }

    /// The gateway goes on, and the server tries again.
    @Test func aPortInUseIsTriedAgain() async throws {
        let first = try await DashboardRig()
        try await first.start()
        let second = try await DashboardRig(port: first.port)
        second.openLink()
        second.frame()
        await first.stop()
        try await second.start()
        #expect(try await ask(second, "/api/health").status == 200)
    }

    /// Requests for the page's files get 404; all others are answered.
    @Test func withoutItsFilesOnlyThePageIsMissing() async throws {
        let rig = try await DashboardRig(pageDirectory: "/nowhere")
        #expect(try await ask(rig, "/").status == 404)
        #expect(try await ask(rig, "/api/health").status == 200)
    }
}
