import Foundation
import Synchronization

/// A child process whose output is collected line by line.
public final class Child: Sendable {
    private let process: Mutex<Process>
    private let output = Mutex<[UInt8]>([])
    private let isDrained = Mutex(false)
    public let pid: Int32
    private let descriptor: Int32

    /// - Parameter environment: over this process's own.
    public init(_ program: String, _ arguments: [String], environment: [String: String] = [:]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [program] + arguments
        var merged = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        merged["PATH"] = (merged["PATH"] ?? "") + ":/usr/sbin"
        process.environment = merged
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        process.standardInput = FileHandle.nullDevice
        // Threads of the task pool block signals, and a child would inherit that.
        var none = sigset_t()
        var blocked = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &blocked)
        defer { pthread_sigmask(SIG_SETMASK, &blocked, nil) }
        try process.run()
        pid = process.processIdentifier
        self.process = Mutex(process)
        descriptor = pipe.fileHandleForReading.fileDescriptor
        pipe.fileHandleForReading.readabilityHandler = { [weak self] handle in
            guard let self else {
                handle.readabilityHandler = nil
                return
            }
            // Under the lock: what is read is in the output, for everybody who looks.
            let isEnd = output.withLock { output in
                let data = handle.availableData
                output.append(contentsOf: data)
                return data.isEmpty
            }
            if isEnd {
                handle.readabilityHandler = nil
                isDrained.withLock { $0 = true }
            }
        }
    }

    deinit { kill(SIGKILL) }

    public var text: String { output.withLock { String(decoding: $0, as: UTF8.self) } }
    /// What it has printed so far, also what has not been read yet.
    public var wholeText: String {
        var waiting: Int32 = 0
        let deadline = Date(timeIntervalSinceNow: 5)
        while ioctl(descriptor, UInt(FIONREAD), &waiting) == 0, waiting > 0, Date() < deadline { usleep(1000) }
        return text
    }
    /// Whole lines only.
    public var lines: [String] {
        let text = text
        let parts = text.split(separator: "\n", omittingEmptySubsequences: true).map { String($0) }
        return text.hasSuffix("\n") ? parts : Array(parts.dropLast())
    }
    /// Whole lines of what is behind its first bytes.
    public func wholeLines(from count: Int) -> ArraySlice<UInt8> {
        output.withLock { output in
            let rest = output[count...]
            return rest[..<(rest.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? count)]
        }
    }
    /// What was in it is in the output: both change under one lock.
    private var isPipeEmpty: Bool {
        output.withLock { _ in
            var waiting: Int32 = 0
            return ioctl(descriptor, UInt(FIONREAD), &waiting) == 0 && waiting == 0
        }
    }
    public var isRunning: Bool { process.withLock { $0.isRunning } }

    /// It stands still, by SIGSTOP.
    public var isStopped: Bool {
        let text = (try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)) ?? ""
        return text.split(separator: ")").last?.split(separator: " ").first == "T"
    }

    public func kill(_ signal: Int32) {
        if isRunning { Foundation.kill(pid, signal) }
    }

    /// The exit code, once it has ended.
    public func exitCode(within seconds: Double = 60) async throws -> Int32 {
        try await eventually("process \(pid) ends: \(text)", within: seconds) { (!isRunning).orNil }
        // Its last words may still be in the pipe, whose end never comes while a grandchild holds it open.
        try await eventually("its last words") { (isDrained.withLock { $0 } || isPipeEmpty).orNil }
        return process.withLock { $0.terminationStatus }
    }
}
