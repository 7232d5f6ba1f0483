import GatewayCore
import GatewayRuntime
import Logging
import ServiceLifecycle
import UnixSignals

/// SIGHUP: reads the configuration again. What can change live does; a broken one changes nothing and says so.
struct ReloadService: Service {
    var current: Configuration
    let loader: ConfigurationLoader
    let logLevel: LogLevel
    let recorder: RawLogRecorder
    let inputs: GatewayInputs
    let log: Logger

    func run() async throws {
        var current = current
        for await _ in await UnixSignalsSequence(trapping: .sighup).cancelOnGracefulShutdown() {
            do throws(ConfigurationLoader.Problems) {
                let next = try loader.load()
                await apply(next, over: current)
                current = next
            } catch {
                for line in error.lines {
                    log.error("configuration not reloaded; keeping the old one", metadata: ["why": "\(line)"])
                }
            }
        }
    }

    private func apply(_ next: Configuration, over current: Configuration) async {
        let changed = ConfigurationKey.all.filter { current.explicit[$0.path] != next.explicit[$0.path] }
        logLevel.value = next.gateway.logLevel
        recorder.isOn = next.recorder.raw
        await inputs.send(.policyChanged(next.commandPolicy))
        let live = changed.filter(\.isLive).map(\.path).joined(separator: " ")
        log.notice("configuration reloaded", metadata: ["changed": "\(live.isEmpty ? "nothing" : live)"])
        let waiting = changed.filter { !$0.isLive }.map(\.path).joined(separator: " ")
        if !waiting.isEmpty {
            log.warning("some changes need a restart to take effect", metadata: ["keys": "\(waiting)"])
        }
    }
}
