import Glibc

/// This process's memory, as the kernel reports it.
struct ProcessMemory {
    var residentBytes: Int?
    /// Anonymous memory, without the pages of the program's file.
    var anonymousBytes: Int?

    static var current: ProcessMemory {
        guard let file = fopen("/proc/self/status", "re") else { return ProcessMemory() }
        defer { fclose(file) }
        var memory = ProcessMemory()
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, Int32(line.count), file) != nil {
            if let bytes = bytes("VmRSS:", line) { memory.residentBytes = bytes }
            if let bytes = bytes("RssAnon:", line) { memory.anonymousBytes = bytes }
        }
        return memory
    }

    /// The value of the line with this name, which is in units of 1024 bytes; nil for another line.
    private static func bytes(_ name: StaticString, _ line: [CChar]) -> Int? {
        guard strncmp(line, name.utf8Start, name.utf8CodeUnitCount) == 0 else { return nil }
        return strtol(Array(line.dropFirst(name.utf8CodeUnitCount)), nil, 10) * 1024
    }
}
