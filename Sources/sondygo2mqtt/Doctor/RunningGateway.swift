import Glibc

/// Whether a gateway with this configuration runs on this machine.
enum RunningGateway {
    /// - Parameter file: of `--config`; another than the service's own is not the service's.
    static func isHere(_ configuration: Configuration, file: String? = nil) -> Bool {
        let isServices = file.map { $0 == ConfigurationLoader.defaultPath } ?? true
        return isServices && InstalledService.present?.isRunning == true
            || isLocked(configuration.storePath + ".lock")
    }

    /// A gateway holds a lock on this file as long as it runs.
    static func isLocked(_ path: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var wanted = flock()
        wanted.l_type = Int16(F_WRLCK)
        wanted.l_whence = Int16(SEEK_SET)
        return fcntl(descriptor, F_GETLK, &wanted) == 0 && wanted.l_type != Int16(F_UNLCK)
    }
}
