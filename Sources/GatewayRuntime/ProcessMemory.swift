import Glibc

/// What the kernel says of this process's memory.
struct ProcessMemory {
    var residentBytes: Int?
    /// Really private memory, without the program's own pages.
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

    /// What a line of that name says, which is in units of 1024 bytes; nil for every other line.
    private static func bytes(_ name: StaticString, _ line: [CChar]) -> Int? {
        guard strncmp(line, name.utf8Start, name.utf8CodeUnitCount) == 0 else { return nil }
        return strtol(Array(line.dropFirst(name.utf8CodeUnitCount)), nil, 10) * 1024
    }
}
