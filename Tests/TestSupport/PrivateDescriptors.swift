public import Foundation

/// Makes a socket that no child process inherits: a child would keep the connection open after this process closes it.
public func privateSocket(_ family: Int32 = AF_INET, _ type: __socket_type = SOCK_STREAM) -> Int32 {
    socket(family, Int32(type.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
}

/// Keeps a descriptor from the children that begin later.
public func keepFromChildren(_ descriptor: Int32) {
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
}
