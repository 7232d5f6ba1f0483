import Glibc

/// Tells the thread of the gateway's loop from others: what blocks there delays every frame.
public enum LoopThread {
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    /// Makes the calling thread the loop's, for as long as it lives.
    public static func begin() { pthread_setspecific(key, UnsafeRawPointer(bitPattern: 1)) }

    public static var isCurrent: Bool { pthread_getspecific(key) != nil }

    /// To be called where a file is opened, read or written. A debug build ends here on the loop's thread.
    public static func assertMayBlock(_ file: StaticString = #fileID, line: UInt = #line) {
        assert(!isCurrent, "a file is used on the loop's thread", file: file, line: line)
    }
}
