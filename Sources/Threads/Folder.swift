import Glibc

/// A folder on a disk.
public enum Folder {
    /// Makes the folder and those above it, for the owner only.
    /// - Returns: the `errno` of the step that failed; nil if the folder is there.
    public static func make(_ path: String) -> Int32? {
        LoopThread.assertMayBlock()
        if mkdir(path, 0o700) == 0 || errno == EEXIST { return nil }
        guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return errno }
        if let fault = make(String(path[..<slash])) { return fault }
        return mkdir(path, 0o700) == 0 || errno == EEXIST ? nil : errno
    }
}
