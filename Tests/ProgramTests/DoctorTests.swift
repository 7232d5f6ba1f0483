import Foundation
import Synchronization
import TestSupport
import Testing

@testable import sondygo2mqtt

@Suite(.timeLimit(.minutes(10))) struct DoctorTests {
    @Test func wrongStateDirectoriesAreReported() throws {
        let folder = try temporaryDirectory()
        #expect(PathCheckup.stateDirectory(folder.path).verdict == .ok)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        let file = folder.appendingPathComponent("file").path
        try Data("x".utf8).write(to: URL(fileURLWithPath: file))
        for (path, text) in [
            (file, "is not a directory"), (folder.path + "/missing", "sudo install -d"), ("/proc", "can't be written"),
            (file + "/below", "Not a directory"),
        ] {
            let finding = PathCheckup.stateDirectory(path)
            #expect(finding.verdict == .wrong)
            #expect(finding.text.contains(text), "\(finding.text)")
        }
    }

    /// Topics with a phone's message, and whether it can be read -> a part of the line.
    @Test(
        arguments: [
            ([:], .note, "nothing is on owntracks/crew/phone1; does the app"),
            (["owntracks/crew/phone1": true, "owntracks/a/b": true], .ok, "has the phone's position"),
            (["owntracks/crew/phone1": false], .note, "switch the payload encryption off"),
            (
                ["owntracks/crew/phone2": true, "owntracks/x/y": false], .note,
                "phones are on owntracks/crew/phone2; see"
            ),
        ] as [([String: Bool], Finding.Verdict, String)])
    func doctorNamesThePhonesTopics(_ heard: [String: Bool], _ verdict: Finding.Verdict, _ part: String) {
        let finding = PhoneCheckup.finding("owntracks/crew/phone1", heard)
        #expect(finding.verdict == verdict && finding.text.contains(part), "\(finding.text)")
    }

    /// The report names the settings, and no value that is not public: neither by itself nor in a check's sentence.
    @Test func theReportHasNoSecrets() throws {
        var configuration = Configuration()
        configuration.explicit = [
            "mqtt.host": "broker.example", "mqtt.username": "crew7", "mqtt.tls.ca_file": "/home/kurt/ca.pem",
            "mqtt.password_file": "/etc/mine/secret", "gpsd.port": "2950",
        ]
        var report = DoctorReport(
            configuration: configuration,
            findings: [
                .wrong("broker", "broker.example refuses crew7: /etc/mine/secret is empty"),
                .ok("car", "crew70 has a fix"),
            ])
        report.release = "NAME=\"Debian\"\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n"
        let text = report.lines.joined(separator: "\n")
        #expect(text.hasPrefix("sondygo2mqtt \(Version.current) on Debian GNU/Linux 12 (bookworm), "))
        #expect(text.contains("mqtt.host: broker.example") && text.contains("gpsd.port: 2950"))
        #expect(text.contains("broker.example refuses (mqtt.username): (mqtt.password_file) is empty"))
        for secret in ["crew7", "kurt", "/etc/mine"] { #expect(!text.contains(secret), "\(text)") }
    }

    /// Somebody ran the gateway with sudo: the folder is the user's, the store is not.
    @Test(.enabled(if: geteuid() == 0)) func aStoreOfAnotherUserIsReported() async throws {
        let folder = try temporaryDirectory().path
        #expect(FileManager.default.createFile(atPath: folder + "/gateway.sqlite", contents: Data()))
        #expect(chmod(folder + "/gateway.sqlite", 0o600) == 0 && chown(folder, 65_534, 65_534) == 0)
        let doctor = try Child(
            "setpriv",
            [
                "--reuid=65534", "--regid=65534", "--clear-groups", GatewayProgram.path, "doctor", "--transport",
                "simulator",
            ],
            environment: ["SONDYGO_GATEWAY_STATE_DIRECTORY": folder])
        _ = try await doctor.exitCode()
        #expect(
            doctor.text.contains("gateway.sqlite: Permission denied; run: sudo chown --reference=\(folder)"),
            "\(doctor.text)")
    }

    @Test func aFullDiskIsReported() async throws {
        let disk = try await SmallDisk(megabytes: 1)
        #expect(PathCheckup.stateDirectory(disk.folder.path).verdict == .ok)
        try disk.fill()
        #expect(PathCheckup.stateDirectory(disk.folder.path).verdict == .wrong)
        try disk.free()
        try await disk.makeReadOnly()
        #expect(PathCheckup.stateDirectory(disk.folder.path).text.contains("Read-only"))
    }

    /// A cable that nobody uses is listened to: frames, a GPS mouse's sentences, a wrong speed's bytes, silence.
    @Test(
        arguments: [
            ("0/RS41/403.500/117.5/100/4274/0/3.10/o\r\n", Finding.Verdict.ok, "sends frames"),
            ("$GPRMC,123519,A,4807.038,N,01131.000,E,022.4,084.4*6A\r\n", .note, "They begin: $GPRMC,123519"),
            ("\u{80}\u{fe}\u{f8}\u{1}\u{2}", .note, "but no frame: is receiver.baud right"),
            ("", .note, "no byte came in 2 s"),
        ])
    func aFreeCableIsListenedTo(_ sent: String, _ verdict: Finding.Verdict, _ text: String) throws {
        let terminal = try PseudoTerminal()
        let bytes = sent.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
        let isDone = Mutex(false)
        // Opening empties the cable, so the bytes come again and again, as a receiver's do.
        Thread.detachNewThread {
            while !isDone.withLock({ $0 }) {
                if !bytes.isEmpty { terminal.write(bytes) }
                Thread.sleep(forTimeInterval: 0.1)
            }
        }
        let finding = PathCheckup.serialDevice(terminal.path, listens: .seconds(2))
        isDone.withLock { $0 = true }
        #expect(finding.verdict == verdict && finding.text.contains(text), "\(finding.text)")
    }

    /// `ulimit -v` below what the threads reserve is told, not found out by a crash.
    @Test func aSmallAddressSpaceIsTold() async throws {
        let gateway = try Child(
            "bash", ["-c", "ulimit -v 500000; exec '\(GatewayProgram.path)' run --transport simulator --mqtt-port 1"],
            environment: ["SONDYGO_DASHBOARD_ENABLED": "false", "SONDYGO_SONDEHUB_ENABLED": "false"])
        #expect(try await gateway.exitCode() == 78)
        #expect(gateway.text.contains("the address space is limited to 512 MB"), "\(gateway.text)")
        for limit in ["unlimited", "4096000000"] {
            #expect(AddressSpace.fault(in: "Max address space         \(limit)          unlimited     bytes\n") == nil)
        }
    }

    @Test func wrongSerialDevicesAreReported() throws {
        let terminal = try PseudoTerminal()
        #expect(PathCheckup.serialDevice(terminal.path).verdict == .ok)
        let folder = try temporaryDirectory()
        let file = folder.appendingPathComponent("file").path
        try Data("x".utf8).write(to: URL(fileURLWithPath: file))
        let pipe = folder.appendingPathComponent("pipe").path
        #expect(mkfifo(pipe, 0o600) == 0)
        for path in [file, pipe, "/dev/null"] {
            let finding = PathCheckup.serialDevice(path)
            #expect(finding.verdict == .wrong)
            #expect(finding.text.contains("is not a serial device"), "\(finding.text)")
        }
        #expect(PathCheckup.serialDevice("/dev/no-such-cable").text.contains("plugged in"))
        #expect(PathCheckup.serialDevice("/dev").text.contains("Is a directory"))
    }

    /// The broker accepts the gateway's login, but its access list drops all messages. This is the most common mistake.
    @Test(arguments: ["topic readwrite sondygo/#", "topic read #"]) func anAccessListThatDropsMessagesIsReported(
        _ list: String
    ) async throws {
        let folder = try temporaryDirectory()
        let file = folder.appendingPathComponent("acl")
        try Data((list + "\n").utf8).write(to: file)
        let broker = try await Broker(listener: "allow_anonymous true\nacl_file \(file.path)", directory: folder)
        let child = try GatewayProgram.start([
            "doctor", "--mqtt-host", "127.0.0.1", "--mqtt-port", "\(broker.port)", "--transport", "simulator",
        ])
        _ = try await child.exitCode()
        let line = try #require(child.lines.first { $0.contains(" broker ") })
        if list.contains("write") {
            #expect(line.hasPrefix("ok") && line.contains("accepts the gateway and its messages"), "\(line)")
        } else {
            #expect(line.hasPrefix("WRONG") && line.contains("Not authorized"), "\(line)")
        }
    }

    /// `doctor` logs in as `run` does: a broker that keeps no retained messages, takes no message of the largest size,
    /// or takes the user name as client id is told.
    @Test(
        arguments: [
            ("retain_available false", [:], "note", "keeps no retained messages"),
            ("max_qos 0", [:], "note", "takes messages of QoS 0 only"),
            ("message_size_limit 20000", [:], "WRONG", "message of 24000 bytes"),
            (
                "use_username_as_clientid true", ["SONDYGO_MQTT_USERNAME": "car"], "note",
                "takes the user name as client id"
            ),
        ] as [(String, [String: String], String, String)])
    func doctorLogsInAsTheGatewayDoes(
        _ option: String, _ environment: [String: String], _ mark: String, _ words: String
    ) async throws {
        let broker = try await Broker(listener: "allow_anonymous true\n\(option)")
        let child = try GatewayProgram.start(
            ["doctor", "--mqtt-host", "127.0.0.1", "--mqtt-port", "\(broker.port)", "--transport", "simulator"],
            environment: environment)
        _ = try await child.exitCode()
        let line = try #require(child.lines.first { $0.contains(" broker ") })
        #expect(line.hasPrefix(mark) && line.contains(words), "\(line)")
    }

    /// On a line whose answers take seconds doctor waits as long as a session may, and says how slow the login was.
    @Test func aSlowLoginIsSaid() async throws {
        let broker = try await Broker()
        let line = try await BrokerProxy(port: broker.port, .delays(milliseconds: 1600))
        let child = try GatewayProgram.start([
            "doctor", "--mqtt-host", "127.0.0.1", "--mqtt-port", "\(line.port)", "--transport", "simulator",
        ])
        _ = try await child.exitCode(within: 120)
        let told = try #require(child.lines.first { $0.contains(" broker ") })
        #expect(told.hasPrefix("ok") && told.contains("the login took") && told.contains("the line is slow"), "\(told)")
    }

    /// The broker knows the gateway's client id only. Without a gateway here doctor logs in with that; beside one it says
    /// why it can't know.
    @Test(arguments: [false, true]) func aBrokerThatGivesRightsByIDIsRecognised(_ isRunning: Bool) async throws {
        let folder = try temporaryDirectory()
        let list = folder.appendingPathComponent("acl")
        // Mosquitto fills in the client's id.
        try Data("pattern readwrite sondygo/%c/#\n".utf8).write(to: list)
        let broker = try await Broker(listener: "allow_anonymous true\nacl_file \(list.path)", directory: folder)
        let environment = [
            "SONDYGO_GATEWAY_STATE_DIRECTORY": folder.path, "SONDYGO_MQTT_CLIENT_ID": "test",
            "SONDYGO_GATEWAY_ID": "test", "SONDYGO_HOMEASSISTANT_ENABLED": "false",
        ]
        let options = ["--mqtt-host", "127.0.0.1", "--mqtt-port", "\(broker.port)", "--transport", "simulator"]
        let gateway = isRunning ? try GatewayProgram.start(["run"] + options, environment: environment) : nil
        let lock = folder.path + "/simulated.sqlite.lock"
        if isRunning { try await eventually("it runs: \(gateway?.text ?? "")") { RunningGateway.isLocked(lock).orNil } }
        let child = try GatewayProgram.start(["doctor"] + options, environment: environment)
        _ = try await child.exitCode()
        let line = try #require(child.lines.first { $0.contains(" broker ") })
        let words = isRunning ? "stop the gateway, and run doctor again" : "but not doctor's own client id"
        #expect(line.hasPrefix(isRunning ? "WRONG" : "note") && line.contains(words), "\(line)")
        gateway?.kill(SIGTERM)
        _ = try await gateway?.exitCode()
    }

    /// What doctor says where a path loses large packets.
    @Test(arguments: [([500, 1000, 1200], "messages of up to 1200 bytes"), ([], "no message of 500 bytes")])
    func aPathThatLosesLargePacketsIsTold(_ passed: [Int], _ words: String) {
        let finding = PathSizes.finding(passed: passed, at: "broker:1883")
        #expect(finding.verdict == .note && finding.text.contains(words) && finding.text.contains("mtu"))
    }

    /// Another program has the cable: it is named, and the device is not opened. Also for root, whom the lock of the
    /// device does not stop.
    @Test func anotherProgramsCableIsNotOpened() async throws {
        let terminal = try PseudoTerminal()
        for isLocked in [false, true] {
            let lock = isLocked ? "fcntl.flock(file, fcntl.LOCK_EX)" : "pass"
            let program = """
                import fcntl, sys, time
                file = open('\(terminal.path)', 'rb', buffering=0)
                \(lock)
                print('open', flush=True)
                time.sleep(3600)
                """
            let other = try Child("python3", ["-c", program])
            try await eventually("open: \(other.text)") { other.lines.first.map { _ in true } }
            let finding = PathCheckup.serialDevice(terminal.path, listens: .seconds(2))
            #expect(finding.verdict == .wrong)
            #expect(finding.text.contains("is in use by python3 (process "), "\(finding.text)")
            other.kill(SIGKILL)
            _ = try await other.exitCode()
        }
        #expect(PathCheckup.serialDevice(terminal.path).verdict == .ok)
    }

    @Test func aLockNamesItsProcess() {
        let locks = "1: POSIX  ADVISORY  WRITE 9 00:05:340 0 EOF\n2: FLOCK  ADVISORY  WRITE 812 00:05:341 0 EOF\n"
        #expect(CableHolder.locker(in: locks, device: 5, inode: 341) == 812)
        #expect(CableHolder.locker(in: locks, device: 5, inode: 34) == nil)
        #expect(CableHolder.locker(in: locks, device: 6, inode: 341) == nil)
    }

    /// Of several brokers one is enough; each has its line.
    @Test func doctorTellsTheStateOfEachBroker() async throws {
        let broker = try await Broker()
        let dead = Broker.freePort()
        for (hosts, marks) in [
            ("127.0.0.1:\(dead),127.0.0.1:\(broker.port)", ["note ", "ok   "]),
            ("127.0.0.1:\(dead),[::1]:\(dead)", ["WRONG", "WRONG"]),
        ] {
            let child = try GatewayProgram.start(["doctor", "--mqtt-host", hosts, "--transport", "simulator"])
            _ = try await child.exitCode()
            let lines = child.lines.filter { $0.contains(" broker ") }
            #expect(lines.map { String($0.prefix(5)) } == marks, "\(child.text)")
            #expect(lines.first?.contains("127.0.0.1:\(dead)") == true, "\(lines)")
        }
        try await broker.stop()
    }

    /// On a machine without any network, not even loopback.
    @Test func doctorIsQuickWithoutANetwork() async throws {
        let began = ContinuousClock.now
        let child = try Child(
            "unshare",
            ["--net", GatewayProgram.path, "doctor", "--config", "/dev/null", "--mqtt-host", "broker.example"],
            environment: ["SONDYGO_GATEWAY_STATE_DIRECTORY": try temporaryDirectory().path])
        #expect(try await child.exitCode() == 1, "\(child.text)")
        #expect(ContinuousClock.now - began < .seconds(20))
        let lines = child.lines
        #expect(lines.contains { $0.hasPrefix("WRONG  broker ") })
        #expect(lines.contains { $0.hasPrefix("note   sondehub ") })
        #expect(lines.contains { $0.hasPrefix("ok     state ") })
    }

    /// With a name server that never answers and a broker's address that drops all packets.
    @Test func lateAnswersAreNotWaitedFor() async {
        // A wait for either would end with this suite's limit.
        let answer = await within(.milliseconds(50), or: "late") {
            try? await Task.sleep(for: .seconds(3600))
            return "answer"
        }
        #expect(answer == "late")
        #expect(await within(.seconds(3600), or: "late") { "answer" } == "answer")
    }
}
