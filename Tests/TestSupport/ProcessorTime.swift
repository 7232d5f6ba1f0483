import Foundation

/// The processor's time that this thread spends in `work`. Other programs on the machine do not lengthen it.
public func processorTime(_ work: () -> Void) -> Duration {
    func now() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
    }
    let began = now()
    work()
    return now() - began
}
