import CLinux
import Glibc

/// Starts a detached thread.
/// - Parameters:
///   - name: what `top -H` shows, at most 15 bytes. `deploy/doc/design.md` lists the names.
///   - body: runs once, on the new thread.
/// - Returns: false if the system can't create a thread. Then `body` has not run and never will.
public func startThread(named name: StaticString, _ body: @escaping @Sendable () -> Void) -> Bool {
    final class Job: Sendable {
        let name: StaticString
        let body: @Sendable () -> Void
        init(_ name: StaticString, _ body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    let job = Unmanaged.passRetained(Job(name, body))
    var thread = pthread_t()
    let status = pthread_create(
        &thread, &attributes,
        { context in
            guard let context else { return nil }
            let job = Unmanaged<Job>.fromOpaque(context).takeRetainedValue()
            _ = job.name.withUTF8Buffer { $0.withMemoryRebound(to: CChar.self) { name_this_thread($0.baseAddress) } }
            job.body()
            return nil
        }, job.toOpaque())
    if status != 0 { job.release() }
    return status == 0
}

/// Starts a detached thread. If the system can't create one, runs `body` on the caller's.
public func runOnThread(named name: StaticString, _ body: @escaping @Sendable () -> Void) {
    if !startThread(named: name, body) { body() }
}
