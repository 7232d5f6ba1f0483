import Foundation
import TestSupport
import Testing

@testable import sondygo2mqtt

/// The README's commands work, its samples fit their schemas, and it stays short. `Tests/documents.sh` compares its links.
@Suite(.timeLimit(.minutes(10)), .serialized) struct ReadmeTests {
    /// The way to try a command of the README.
    private enum Trial {
        /// Runs in the sandbox; ends with one of these codes and prints this.
        case ends(Set<Int>, says: String)
        /// Runs in the sandbox; prints this and goes on until it is stopped.
        case goesOn(says: String)
        /// Needs root on a booted machine, or minutes. The file runs it, in this form.
        case elsewhere(String, asText: String)
    }

    private static let trials: KeyValuePairs<String, Trial> = [
        "./deploy/demo.sh": .elsewhere("Tests/fresh.sh", asText: "./deploy/demo.sh"),
        "./Tests/run.sh": .elsewhere(".ci/run", asText: "Tests/run.sh"),
        #"export PATH="$PWD/.build/release:$PATH""#: .ends([0], says: ""),
        "sondygo2mqtt simulate --id car1 --speed 60": .goesOn(says: "mosquitto_sub -p "),
        "mosquitto_sub -p <port> -v -t 'sondygo/#'": .goesOn(says: "sondygo/car1/position {"),
        "sondygo2mqtt status": .ends([0], says: "."),
        "sudo apt install ./sondygo2mqtt_*.deb":
            .elsewhere(
                "Tests/PackageTest/inside.sh",
                asText: "apt-get install -y -qq --no-install-recommends /desk/sondygo2mqtt_"),
        "sudo sondygo2mqtt setup": .elsewhere("Tests/PackageTest/inside.sh", asText: "sondygo2mqtt setup"),
        "sudo sondygo2mqtt doctor": .ends([0, 1], says: "broker"),
        "mosquitto_sub -v -t 'sondygo/#'": .goesOn(says: "bridge/state online"),
        "journalctl -fu sondygo2mqtt":
            .elsewhere("Tests/PackageTest/inside.sh", asText: "journalctl --no-pager -u sondygo2mqtt"),
        #"sondygo2mqtt send '{"mute":true}'"#: .ends([0], says: "\"confirmed\""),
        #"sondygo2mqtt send '{"frequency":404.2,"type":"RS41"}'"#: .ends([0], says: "\"confirmed\""),
        "sudo sondygo2mqtt check-config": .ends([0], says: "configuration ok"),
        "sudo systemctl restart sondygo2mqtt":
            .elsewhere("Tests/PackageTest/inside.sh", asText: "systemctl restart sondygo2mqtt"),
    ]

    @Test func everyCommandHasATrial() throws {
        let commands = try blocks("sh").flatMap { $0.split(separator: "\n").map { String($0) } }
        #expect(commands == Self.trials.map(\.key))
        for case (let command, .elsewhere(let file, let text)) in Self.trials {
            #expect(try Fixtures.text(file).contains(text), "\(command) is not run by \(file)")
        }
    }

    /// Runs the commands in a network namespace, with Debian's broker on its usual port and a gateway with a simulated
    /// receiver.
    @Test func commandsDoWhatTheReadmeSays() async throws {
        let folder = try temporaryDirectory()
        let steps = Self.trials.compactMap { command, trial -> String? in
            switch trial {
            case .ends(let codes, let says):
                "ends '\(codes.map(String.init).joined(separator: " "))' '\(says)' <<'END'\n\(command)\nEND"
            case .goesOn(let says): "goes_on '\(says)' <<'END'\n\(command)\nEND"
            case .elsewhere: nil
            }
        }
        let script = folder.appendingPathComponent("sandbox.sh")
        try Data((Self.sandbox + steps.joined(separator: "\n") + "\n" + Self.tuned + "\necho all good\n").utf8).write(
            to: script)
        let child = try Child(
            "unshare", ["--net", "--uts", "bash", script.path, folder.path, GatewayProgram.path],
            environment: ["SONDYGO_GATEWAY_STATE_DIRECTORY": folder.path])
        #expect(try await child.exitCode(within: 200) == 0, "\(child.text)")
        #expect(child.lines.last == "all good", "\(child.text)")
    }

    private static let sandbox = #"""
        set -uo pipefail
        # The topics have the host's name in small letters.
        hostname car1
        cd "$1"
        mkdir bin
        ln -s "$2" bin/sondygo2mqtt
        printf '#!/bin/sh\nexec "$@"\n' > bin/sudo
        chmod +x bin/sudo
        PATH="$PWD/bin:$PATH:/usr/sbin"
        ip link set lo up
        printf 'user root\nlistener 1883 127.0.0.1\nallow_anonymous true\n' > mosquitto.conf
        mosquitto -c mosquitto.conf 2>/dev/null &
        sondygo2mqtt run --transport simulator > gateway.log 2>&1 &
        trap 'kill $(jobs -p) 2>/dev/null' EXIT
        # Waits for a text in a file, 15 s at most.
        shows() {
            local end=$((SECONDS + 15))
            until grep -qF -- "$2" "$1"; do
                [ $SECONDS -lt $end ] || return 1
                sleep 0.1
            done
        }
        shows gateway.log "online, firmware" || { cat gateway.log; exit 1; }
        port=
        ends() {
            local command codes="$1" code=0
            command="$(cat)"
            timeout 20 bash -c "$command" > out 2>&1 || code=$?
            [[ " $codes " == *" $code "* ]] && grep -qF -- "$2" out && return
            [ -z "$2" ] && [[ " $codes " == *" $code "* ]] && return
            echo "$command: ended with $code"; cat out; exit 1
        }
        goes_on() {
            local command file
            command="$(cat)"
            file="$(mktemp -p .)"
            timeout 40 stdbuf -oL bash -c "exec ${command//<port>/$port}" > "$file" 2>&1 &
            local pid=$!
            shows "$file" "$1" && kill -0 $pid || { echo "$command: does not say $1"; cat "$file"; exit 1; }
            [ -n "$port" ] || port="$(sed -n 's/.*127.0.0.1:\([0-9]*\)\..*/\1/p' "$file")"
        }

        """#

    /// The last command has tuned the receiver of the simulation, which `send` asks while that runs.
    private static let tuned = #"""
        timeout 20 stdbuf -oL mosquitto_sub -p "$port" -t 'sondygo/+/radio' > radio &
        shows radio '"frequency_mhz":404.2' || { echo "not tuned"; cat gateway.log radio; exit 1; }
        """#

    @Test func theConfigurationIsAccepted() throws {
        let text = try #require(try blocks("yaml").first)
        let file = try temporaryDirectory().appendingPathComponent("config.yaml")
        try Data(text.utf8).write(to: file)
        let configuration = try ConfigurationLoader(path: file.path, environment: [:]).load()
        #expect(configuration.gateway.id == "car1")
        #expect(configuration.receiver.transport == SerialSettings.name)
    }

    /// A page's sample message has exactly the keys of its topic's schema.
    @Test(arguments: ["README.md", "deploy/doc/topics.md", "deploy/doc/commands.md"])
    func samplesFitTheirSchemas(_ page: String) throws {
        let lines = try Fixtures.text(page).split(separator: "\n").map { String($0) }
        let samples = lines.compactMap { line -> (topic: String, payload: String)? in
            if line.hasPrefix("{\"id\":") { return ("command/response", line) }
            return line.wholeMatch(of: #/sondygo\/car1\/(\S+) (\S.*)/#).map { (String($0.1), String($0.2)) }
        }
        #expect(samples.count >= 4)
        #expect(try Schemas.violations(samples) == [])
    }

    @Test func theReadmeIsShort() throws {
        let words = try Fixtures.text("README.md").split(whereSeparator: \.isWhitespace)
        #expect(words.count <= 1200)
    }

    /// The fenced blocks of the README in a language, without comments.
    private func blocks(_ language: String) throws -> [String] {
        let text = try Fixtures.text("README.md")
        return text.components(separatedBy: "\n```\(language)\n").dropFirst().compactMap {
            $0.components(separatedBy: "\n```").first
        }
    }
}
