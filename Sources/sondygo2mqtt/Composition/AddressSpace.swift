import FoundationEssentials

/// The limit of this process's addresses (`ulimit -v`, `LimitAS=`). Each thread reserves many more than it uses, and a
/// thread that can't be made ends the program without a word that helps.
enum AddressSpace {
    /// Measured with everything on: 0.8 GB is too little, 1.0 GB is enough.
    private static let least = 1_000_000_000

    /// What a person should do; nil if there is room.
    static var fault: String? {
        let limits = FileManager.default.contents(atPath: "/proc/self/limits") ?? Data()
        return fault(in: String(decoding: limits, as: UTF8.self))
    }

    /// - Parameter limits: the text of `/proc/self/limits`.
    static func fault(in limits: String) -> String? {
        guard let line = limits.split(separator: "\n").first(where: { $0.hasPrefix("Max address space") }),
            let soft = line.dropFirst("Max address space".count).split(separator: " ").first.flatMap({ Int($0) }),
            soft < least
        else { return nil }
        return "the address space is limited to \(soft / 1_000_000) MB, and threads reserve more than they use; "
            + "run: ulimit -v unlimited, or remove LimitAS from the unit (MemoryMax limits memory)"
    }
}
