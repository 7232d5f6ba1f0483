import Foundation
import Synchronization
import Threads

/// A child process. It collects the child's output.
public final class Child: Sendable {
    private let process: ChildProcess
    private let output: ChildOutput
    public var pid: Int32 { process.pid }

    /// The kernel kills the child when this process ends, however it ends. It counts the end of the thread that made the
    /// child, so one thread makes all of them.
    /// - Parameter environment: variables that replace those of this process.
    public init(_ program: String, _ arguments: [String], environment: [String: String] = [:]) throws {
        var merged = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        merged["PATH"] = (merged["PATH"] ?? "") + ":/usr/sbin"
        let lines = merged.map { "\($0)=\($1)" }
        let pipe = Pipe()
        let ours = pipe.fileHandleForWriting
        process = try ChildThread.shared.run {
            try ChildProcess(
                "/usr/bin/setpriv", ["--pdeathsig", "KILL", program] + arguments, environment: lines,
                output: ours.fileDescriptor, errors: ours.fileDescriptor)
        }
        // The pipe ends when the child, and each child of it, has closed its end.
        try ours.close()
        output = ChildOutput(pipe)
        Thread.detachNewThread { [output] in output.readToEnd() }
    }

    deinit {
        kill(SIGKILL)
        process.wait()
    }

    public var text: String { output.bytes.withLock { String(decoding: $0, as: UTF8.self) } }
    /// The child's output so far, including bytes that still wait in the pipe.
    public var wholeText: String {
        let deadline = Date(timeIntervalSinceNow: 5)
        while !output.isRead, Date() < deadline { usleep(1000) }
        return text
    }
    /// The whole lines of the output so far.
    public var lines: [String] {
        let text = text
        let parts = text.split(separator: "\n", omittingEmptySubsequences: true).map { String($0) }
        return text.hasSuffix("\n") ? parts : Array(parts.dropLast())
    }
    /// The whole lines behind the first `count` bytes.
    public func wholeLines(from count: Int) -> ArraySlice<UInt8> {
        output.bytes.withLock { bytes in
            let rest = bytes[count...]
            return rest[..<(rest.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? count)]
        }
    }
    public var isRunning: Bool { status == nil }

    /// The exit code, or the number of the signal that ended the child; nil while it runs.
    private var status: Int32? { process.status }

    /// Blocks until the child has ended, or the time is up.
    public func wait(atMost seconds: Double) {
        let deadline = Date(timeIntervalSinceNow: seconds)
        while isRunning, Date() < deadline { usleep(2000) }
    }

    /// Whether SIGSTOP has stopped the child.
    public var isStopped: Bool {
        let text = (try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)) ?? ""
        return text.split(separator: ")").last?.split(separator: " ").first == "T"
    }

    public func kill(_ signal: Int32) {
        if isRunning { Foundation.kill(pid, signal) }
    }

    /// Waits for the child's end and returns its exit code.
    public func exitCode(within seconds: Double = usualDeadline) async throws -> Int32 {
        let status = try await eventually("process \(pid) ends: \(text)", within: seconds) { self.status }
        // The last output may still be in the pipe. The pipe's end never comes while a grandchild holds it open.
        try await eventually("its last words") { output.isRead.orNil }
        return status
    }
}

/// Reads a child's output on a thread of its own. A dispatch source once missed bytes in the pipe.
private final class ChildOutput: Sendable {
    let bytes = Mutex<[UInt8]>([])
    private let isAtEnd = Mutex(false)
    /// Keeps the descriptor open as long as this object lives, so that the number is not used again.
    private let pipe: FileHandle

    init(_ pipe: Pipe) {
        self.pipe = pipe.fileHandleForReading
    }

    /// Whether all bytes of the pipe are in ``bytes``.
    var isRead: Bool {
        if isAtEnd.withLock({ $0 }) { return true }
        // The reader changes both under this lock.
        return bytes.withLock { _ in
            var waiting: Int32 = 0
            return ioctl(pipe.fileDescriptor, UInt(FIONREAD), &waiting) == 0 && waiting == 0
        }
    }

    func readToEnd() {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        var count = 1
        while count != 0 {
            var ready = pollfd(fd: pipe.fileDescriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&ready, 1, -1) > 0 else { continue }
            count = bytes.withLock { bytes in
                let count = read(pipe.fileDescriptor, &chunk, chunk.count)
                bytes += chunk[..<max(0, count)]
                return count
            }
        }
        isAtEnd.withLock { $0 = true }
    }
}
