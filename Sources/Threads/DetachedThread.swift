import Glibc

/// Starts a detached thread. If the system can't create one, runs `body` on the caller's.
public func startThread(_ body: @escaping @Sendable () -> Void) {
    final class Job: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    let job = Unmanaged.passRetained(Job(body))
    var thread = pthread_t()
    let status = pthread_create(
        &thread, &attributes,
        { context in
            if let context { Unmanaged<Job>.fromOpaque(context).takeRetainedValue().body() }
            return nil
        }, job.toOpaque())
    if status != 0 { job.takeRetainedValue().body() }
}
