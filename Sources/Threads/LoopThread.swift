import Glibc

/// Recognises the thread of the gateway's loop. A call that blocks there delays each frame.
public enum LoopThread {
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    /// Makes the calling thread the loop's, for its whole life.
    public static func begin() { pthread_setspecific(key, UnsafeRawPointer(bitPattern: 1)) }

    public static var isCurrent: Bool { pthread_getspecific(key) != nil }

    /// Call this before a file on a disk is opened, read or written (those below /proc and /sys are on no disk). On the
    /// loop's thread a debug build stops the program here.
    public static func assertMayBlock(_ file: StaticString = #fileID, line: UInt = #line) {
        assert(!isCurrent, "a file is used on the loop's thread", file: file, line: line)
    }
}
