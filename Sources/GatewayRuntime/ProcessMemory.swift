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
            let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            let words = text.split(whereSeparator: \.isWhitespace)
            guard words.count == 3, let kilobytes = Int(words[1]) else { continue }
            if words[0] == "VmRSS:" { memory.residentBytes = kilobytes * 1024 }
            if words[0] == "RssAnon:" { memory.anonymousBytes = kilobytes * 1024 }
        }
        return memory
    }
}
