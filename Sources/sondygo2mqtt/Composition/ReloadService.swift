import Gateway
import GatewayReports
import GatewayRuntime
import Glibc
import Logging
import ServiceLifecycle
import UnixSignals

/// Reads the configuration again on SIGHUP and applies the live keys. A wrong configuration is logged and changes
/// nothing. The SIGHUP of a terminal that goes away ends the program that was started there.
struct ReloadService: Service {
    var current: Configuration
    let loader: ConfigurationLoader
    let logLevel: LogLevel
    let recorder: RawLogRecorder
    let inputs: GatewayInputs
    let log: Logger
    /// The program was started in a terminal, and not with `nohup`.
    private let isOfTerminal = Self.hasTerminal && !Self.ignoresHangUps

    func run() async throws {
        await cancelWhenGracefulShutdown { await followSignals() }
    }

    private func followSignals() async {
        let started = current
        var current = current
        for await _ in await UnixSignalsSequence(trapping: .sighup) {
            if isOfTerminal, !Self.hasTerminal {
                log.notice("the terminal has gone; stopping")
                kill(getpid(), SIGTERM)
                continue
            }
            do throws(ConfigurationLoader.Problems) {
                let next = try await withTaskExecutorPreference(globalConcurrentExecutor) {
                    () throws(ConfigurationLoader.Problems) in try loader.load()
                }
                await apply(next, over: current, since: started)
                current = next
            } catch {
                for line in error.lines {
                    log.error("configuration not reloaded; keeping the old one", metadata: ["why": "\(line)"])
                }
            }
        }
    }

    private static var hasTerminal: Bool {
        let terminal = open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC)
        if terminal >= 0 { close(terminal) }
        return terminal >= 0
    }

    private static var ignoresHangUps: Bool {
        var action = sigaction()
        sigaction(SIGHUP, nil, &action)
        // SIG_IGN is the address 1.
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
    }

    /// - Parameter started: the configuration at the start, which still holds for all keys that are not live.
    private func apply(_ next: Configuration, over current: Configuration, since started: Configuration) async {
        let live = ConfigurationKey.all.filter(\.isLive)
        logLevel.value = next.gateway.logLevel
        recorder.isOn = next.recorder.raw
        var inForce = started
        for key in live { inForce.explicit[key.path] = next.explicit[key.path] }
        await inputs.send(
            .policyChanged(next.commandPolicy), .chaseChanged(next.chaseOptions, inForce.info.settings),
            .carSharingChanged(next.carSharingOptions))
        var changed = Self.paths(of: live, changedFrom: current, to: next)
        // The next login reads it. The key's value is only where it stands.
        if next.password != current.password { changed.append("mqtt.password_file") }
        log.notice(
            "configuration reloaded",
            metadata: ["changed": "\(changed.isEmpty ? "nothing" : changed.joined(separator: " "))"])
        var waiting = Self.paths(of: ConfigurationKey.all.filter { !$0.isLive }, changedFrom: started, to: next)
        // `alerts` is a list of sections, so the table of keys does not hold it.
        if next.alerts != started.alerts { waiting.append("alerts") }
        if !waiting.isEmpty {
            log.warning(
                "some changes need a restart to take effect", metadata: ["keys": "\(waiting.joined(separator: " "))"])
        }
    }

    private static func paths(
        of keys: [ConfigurationKey], changedFrom old: Configuration, to new: Configuration
    ) -> [String] {
        keys.map(\.path).filter { old.explicit[$0] != new.explicit[$0] }
    }
}
