import Dashboard
import Foundation
import TestSupport
import Testing

@testable import sondygo2mqtt

/// The lines of `doctor` about the page.
@Suite(.timeLimit(.minutes(10))) struct DashboardCheckupTests {
    private func findings(_ change: (inout Configuration) -> Void) throws -> [Finding] {
        var configuration = Configuration()
        configuration.dashboard.maps = try temporaryDirectory().path
        configuration.dashboard.port = Broker.freePort()
        change(&configuration)
        return DashboardCheckup(configuration: configuration).findings()
    }

    @Test func doctorJudgesThePagesSettings() throws {
        #expect(
            try findings { $0.dashboard.isEnabled = false }.map(\.line) == [
                "ok     page        is switched off in the configuration"
            ])
        let usual = try findings { _ in }
        #expect(usual.allSatisfy { $0.verdict != .wrong })
        #expect(usual.contains { $0.text.contains("for a tablet or phone: sudo sondygo2mqtt setup --tablets yes") })
        let open = try findings { $0.dashboard.address = "0.0.0.0" }
        #expect(
            open.contains {
                $0.verdict == .note
                    && $0.text.contains("everybody in this network can open it and command the receiver")
                    && $0.text.contains("setup --key")
            })
        let locked = try findings {
            $0.dashboard.address = "0.0.0.0"
            $0.dashboard.hosts = ["car1.example"]
            $0.pageKey = "a-key-of-ours"
        }
        #expect(locked.contains { $0.verdict == .ok && $0.text.contains("/?key=a-key-of-ours") })
        let port = Broker.freePort()
        let lockedHere = try findings {
            $0.pageKey = "a-key-of-ours"
            $0.dashboard.port = port
        }
        #expect(lockedHere.contains { $0.text.contains("it opens with http://127.0.0.1:\(port)/?key=a-key-of-ours") })
        let everywhere = try findings { $0.dashboard.address = "::" }
        #expect(everywhere.contains { $0.text.hasPrefix("[::]:") })
    }

    @Test func aPortInUseIsReported() throws {
        let descriptor = privateSocket()
        defer { close(descriptor) }
        let port = try #require(Broker.boundPort(descriptor))
        #expect(listen(descriptor, 1) == 0)
        let taken = try findings { $0.dashboard.port = port }
        #expect(taken.contains { $0.verdict == .note && $0.text.contains("is in use by another program") })
        // The running service has opened it. Its link is what the crew wants to know.
        var configuration = Configuration()
        (configuration.dashboard.address, configuration.dashboard.port) = ("::", port)
        configuration.pageKey = "a-key-of-ours"
        let served = DashboardCheckup(configuration: configuration, isServed: true).findings()
        #expect(served.contains { $0.verdict == .ok && $0.text.contains("is served; others open it with") })
    }

    /// What systemd says -> the line.
    @Test(arguments: [
        ("LoadState=loaded\nActiveState=active\n", "ok     service     runs"),
        ("LoadState=not-found\nActiveState=inactive\n", nil), ("", nil),
        (
            "LoadState=masked\nActiveState=inactive\n",
            "note   service     is masked: sudo systemctl unmask sondygo2mqtt"
        ),
        (
            "LoadState=loaded\nActiveState=failed\n",
            "note   service     does not run (failed): sudo systemctl restart sondygo2mqtt; "
                + "why: journalctl -u sondygo2mqtt -n 20"
        ),
    ])
    func theServiceIsLookedAt(_ properties: String, _ line: String?) {
        #expect(InstalledService(properties: properties).finding?.line == line)
    }

    @Test func faultyMapsAreReported() throws {
        let folder = try temporaryDirectory()
        try Data("x".utf8).write(to: folder.appendingPathComponent("broken.mbtiles"))
        let found = try findings { $0.dashboard.maps = folder.path }
        #expect(found.contains { $0.verdict == .note && $0.text.hasPrefix("broken.mbtiles can't be read") })
    }

    /// Beside an installed program and in a checkout.
    @Test func thePagesFolderIsFound() throws {
        let program = GatewayProgram.path
        #expect(PageLocator.pageDirectory(ofProgram: program) == Fixtures.url("deploy/page").path)
        let root = try temporaryDirectory()
        let page = root.appendingPathComponent("share/sondygo2mqtt/page")
        try FileManager.default.createDirectory(at: page, withIntermediateDirectories: true)
        try Data().write(to: page.appendingPathComponent("index.html"))
        #expect(PageLocator.pageDirectory(ofProgram: root.path + "/bin/sondygo2mqtt") == page.path)
        #expect(PageLocator.pageDirectory(ofProgram: "/nowhere/bin/sondygo2mqtt") == nil)
        #expect(PageLocator.pageDirectory(ofProgram: "") == nil)
    }
}
