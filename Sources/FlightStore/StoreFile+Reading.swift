import GRDB
import Glibc

extension StoreFile {
    /// Whether the file's contents can't change, because its file system is read-only and nothing waits in SQLite's log
    /// beside it. A worn card's file system becomes so by itself.
    var isImmutable: Bool {
        var system = statvfs()
        guard statvfs(path, &system) == 0, system.f_flag & UInt(ST_RDONLY) != 0 else { return false }
        return !hasLog
    }

    /// The file as an SQLite URI that says that it can't change. Otherwise SQLite wants to make its files beside it.
    private var immutableURI: String {
        var name = ""
        for byte in path.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."):
                name.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                name += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
        }
        // Without the empty host, what follows two slashes at the path's begin would be one.
        return "file:\(path.hasPrefix("/") ? "//" : "")\(name)?immutable=1"
    }

    /// Opens the file without ever changing it.
    /// - Parameter cacheKilobytes: the size of SQLite's page cache; nil for its own choice.
    func openForReading(cacheKilobytes: Int? = nil) throws -> DatabaseQueue {
        var configuration = GRDB.Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(1)
        if let cacheKilobytes {
            configuration.prepareDatabase { try $0.execute(sql: "PRAGMA cache_size = -\(cacheKilobytes)") }
        }
        return try DatabaseQueue(path: isImmutable ? immutableURI : path, configuration: configuration)
    }
}
