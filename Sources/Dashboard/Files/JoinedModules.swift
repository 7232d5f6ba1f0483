import FoundationEssentials
import NIOCore
import Synchronization

/// The page's ``ModuleBundle``, made anew when one of its files has changed.
final class JoinedModules: Sendable {
    struct Module: Sendable {
        var tag: String
        var plain: ByteBuffer
        /// Compressed.
        var packed: ByteBuffer
    }

    private struct Kept {
        /// The tags of the files of which it is made.
        var tags: [String: String?]
        var modules: [String: Module]
    }

    private static let root = "main.js"
    /// They begin to work while the joined module is on its way, and choose the texts that come beside it.
    private static let apart: Set = ["shared/early.js", "shared/language.js", "shared/stored.js"]

    private let folder: String
    private let kept = Mutex<Kept?>(nil)

    init(folder: String) { self.folder = folder }

    /// The module that is served at a path in place of a file; nil if the file itself is. Reads files.
    /// - Parameter path: as `/first.js`.
    func module(at path: String) -> Module? {
        let known = kept.withLock { $0 }
        if let known, known.tags.allSatisfy({ PageFiles.tag(of: "\(folder)/\($0)") == $1 }) {
            return known.modules[path]
        }
        let made = made()
        kept.withLock { $0 = made }
        return made.modules[path]
    }

    private func made() -> Kept {
        var tags: [String: String?] = [:]
        let bundle = ModuleBundle(of: Self.root, apart: Self.apart) { path in
            tags[path] = PageFiles.tag(of: "\(folder)/\(path)")
            return FileManager.default.contents(atPath: "\(folder)/\(path)")
                .map { String(decoding: $0, as: UTF8.self) }
        }
        var texts = bundle?.stubs ?? [:]
        // Modules that can't be joined are loaded one by one.
        texts[ModuleBundle.path] = bundle?.text ?? "import './\(Self.root)';\n"
        // The names differ with the files, so that a browser never joins the parts of two versions.
        let tag = tags.sorted { $0.key < $1.key }.map { $1 ?? "none" }.joined().utf8
            .reduce(UInt64(5381)) { $0 &* 33 &+ UInt64($1) }
        var modules: [String: Module] = [:]
        for (path, text) in texts {
            let bytes = Array(text.utf8)
            guard let packed = Gzip.compressed(bytes) else { continue }
            modules["/" + path] = Module(
                tag: "\"\(String(tag, radix: 36))\"", plain: ByteBuffer(bytes: bytes), packed: ByteBuffer(bytes: packed)
            )
        }
        return Kept(tags: tags, modules: modules)
    }
}
