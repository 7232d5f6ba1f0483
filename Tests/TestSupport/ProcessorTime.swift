import Foundation

/// The processor's time that this thread has used. Other programs on the machine do not lengthen it.
public func threadTime() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
}

/// The processor's time that `work` takes on this thread.
public func processorTime(_ work: () -> Void) -> Duration {
    let began = threadTime()
    work()
    return threadTime() - began
}
