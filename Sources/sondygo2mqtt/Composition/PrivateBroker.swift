import Foundation
import Glibc
import Threads

/// A mosquitto of our own on a free loopback port, for `simulate` and `replay`. It ends when this process ends, even by
/// SIGKILL, and takes the folders of the show with it.
final class PrivateBroker {
    let port: Int
    private let process: ChildProcess
    private let lifeline = Pipe()
    private let directory: String

    /// How long the start waits until the broker accepts connections.
    private static let startLimit = Duration.seconds(5)

    init() throws(CommandFailure) {
        port = try LoopbackPort.free()
        directory = RunningSimulation.folder(of: getpid())
        let configuration = """
            listener \(port) 127.0.0.1
            allow_anonymous true
            set_tcp_nodelay true
            persistence false
            log_type error
            log_type warning
            """
        let file = directory + "/mosquitto.conf"
        do {
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
            try Data(configuration.utf8).write(to: URL(fileURLWithPath: file))
            // The shell's standard input is our pipe. The pipe closes when this process ends; then the shell ends the
            // broker.
            let script = """
                PATH=$PATH:/usr/sbin:/usr/local/sbin
                command -v mosquitto >/dev/null || exit 69
                mosquitto -c "$1" </dev/null & broker=$!
                trap '' INT TERM
                cat >/dev/null; kill -KILL $broker; wait $broker 2>/dev/null; rm -rf "$2" "$3"
                """
            process = try ChildProcess(
                "/bin/sh",
                ["-c", script, "sh", file, directory, RunningSimulation.passingStateDirectory],
                input: lifeline.fileHandleForReading.fileDescriptor, output: STDOUT_FILENO, errors: STDERR_FILENO)
        } catch let error as CannotStart {
            throw CommandFailure(.unavailable, "a private mosquitto can't be started: \(error)")
        } catch {
            throw CommandFailure(.unavailable, "the folder \(directory) can't be made: is TMPDIR right?")
        }
        try waitUntilUp()
    }

    func stop() {
        try? lifeline.fileHandleForWriting.close()
        process.wait()
    }

    private func waitUntilUp() throws(CommandFailure) {
        let deadline = ContinuousClock.now.advanced(by: Self.startLimit)
        while !LoopbackPort.accepts(UInt16(clamping: port)) {
            guard process.status == nil, ContinuousClock.now < deadline else {
                stop()
                throw CommandFailure(
                    .unavailable, "mosquitto doesn't start; install it (apt install mosquitto) or set mqtt.host")
            }
            usleep(20_000)
        }
    }
}
