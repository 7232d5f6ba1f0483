import FoundationEssentials
import GatewayReports
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// The page's own files, the languages', the libraries and the base map, found in a table that the first request makes. Small files are
/// compressed once, without comments, and kept in memory. Large ones are compressed on the disk and sent piece by piece.
final class PageFiles: Sendable {
    private struct File: Sendable {
        var path: String
        var type: String
        /// The file on the disk is a gzip file.
        var isCompressed = false
        /// Its comments are for readers of the source: they are not sent.
        var hasComments = false
        /// The content that the program itself carries.
        var own: [UInt8]?
    }

    private struct Packed {
        var tag: String
        var bytes: ByteBuffer
    }

    private static let types = [
        "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8",
        "svg": "image/svg+xml", "json": "application/json", "bin": "application/octet-stream",
        "png": "image/png", "txt": "text/plain; charset=utf-8", "webmanifest": "application/manifest+json",
        "otf": "font/otf",
    ]

    private static let commented = [types["js"], types["css"]]

    static let pageStart = "/index.html"

    private let pageDirectory: String?
    private let start: String
    private let fontFolder: String
    /// The served files by path; nil until they were found.
    private let table = Mutex<[String: File]?>(nil)
    private let packed = Mutex<[String: Packed]>([:])
    /// The modules that the page's start needs; nil for a page that joins none.
    private let joined: JoinedModules?
    private let pool: NIOThreadPool

    /// - Parameters:
    ///   - pageDirectory: nil if the page is not installed.
    ///   - start: the file that answers `/`.
    ///   - fonts: the folder of ``PageFont``.
    ///   - pool: lists, reads and compresses the files.
    init(pageDirectory: String?, start: String = pageStart, fonts: String = PageFont.folder, pool: NIOThreadPool) {
        self.pageDirectory = pageDirectory
        self.start = start
        fontFolder = fonts
        self.pool = pool
        joined = start == Self.pageStart ? pageDirectory.map(JoinedModules.init) : nil
    }

    /// The files of the page's folders and of the libraries. Runs in the pool.
    private func listed() -> [String: File] {
        guard let pageDirectory else { return [:] }
        var table: [String: File] = [:]
        for name in (try? FileManager.default.subpathsOfDirectory(atPath: pageDirectory)) ?? [] {
            let isCompressed = name.hasSuffix(".gz")
            let served = isCompressed ? String(name.dropLast(3)) : name
            guard let type = Self.type(of: served) else { continue }
            table["/" + served] = File(
                path: "\(pageDirectory)/\(name)", type: type, isCompressed: isCompressed,
                hasComments: !isCompressed && Self.commented.contains(type))
        }
        table["/"] = table[start]
        for language in Language.allCases {
            let path = "/languages/\(language.rawValue).txt"
            table[path] = File(path: path, type: Self.types["txt"] ?? "", own: language.linesForPage)
        }
        for library in PageLibrary.allCases {
            for (served, path) in library.files {
                guard let type = Self.type(of: served) else { continue }
                table["/\(library.rawValue)/\(served)"] = File(path: path, type: type)
            }
        }
        for (served, path) in PageFont.files(in: fontFolder) {
            guard let type = Self.type(of: served) else { continue }
            table[served] = File(path: path, type: type)
        }
        return table
    }

    private func files() async -> [String: File] {
        if let known = table.withLock({ $0 }) { return known }
        guard let found = try? await pool.runIfActive({ self.listed() }) else { return [:] }
        if !found.isEmpty { table.withLock { $0 = found } }
        return found
    }

    private static func type(of name: String) -> String? {
        name.split(separator: ".").last.flatMap { types[String($0)] }
    }

    func answer(to request: Request) async -> Answer {
        if let joined, request.path.hasSuffix(".js"),
            let found = try? await pool.runIfActive({ joined.module(at: request.path) })
        {
            return answer(found, to: request)
        }
        if request.path == PageFont.sheet { return await fontSheet() }
        let table = await files()
        guard let listed = table[request.path] else {
            return table.isEmpty && request.path == "/"
                ? .refusal(.notFound, "the page's files are not installed; see doctor") : .refusal(.notFound)
        }
        let file = await filled(listed)
        let (tag, packs) = (Self.tag(of: file), request.accepts(encoding: "gzip"))
        guard let tag else { return .refusal(.notFound, "not installed; see doctor") }
        let headers = [(name: "ETag", value: tag), (name: "Cache-Control", value: "no-cache")]
        if request.knows(tag: tag) { return Answer(.notModified, headers: headers) }
        guard packs || !file.isCompressed else {
            return .refusal(.notAcceptable, "this one comes as gzip only")
        }
        var answer = Answer(.ok, headers: headers)
        if file.isCompressed {
            answer.body = .pieces { [pool] write in try await FilePieces(path: file.path, pool: pool).send(write) }
        } else {
            guard let content = try? await pool.runIfActive({ self.content(of: file, tag: tag, packs: packs) }) else {
                return .refusal(.notFound)
            }
            answer.body = .bytes(content)
        }
        answer.headers.append(("Content-Type", file.type))
        answer.headers.append(("Vary", "Accept-Encoding"))
        if packs { answer.headers.append(("Content-Encoding", "gzip")) }
        return answer
    }

    /// An HTML file with what it says in all languages, another file as it is.
    private func filled(_ file: File) async -> File {
        guard file.type == Self.types["html"],
            let data = try? await pool.runIfActive({ FileManager.default.contents(atPath: file.path) })
        else { return file }
        var filled = file
        filled.own = Array(LanguagePlaces.filled(String(decoding: data, as: UTF8.self)).utf8)
        return filled
    }

    private func fontSheet() async -> Answer {
        let text = try? await pool.runIfActive { PageFont.styleSheet(in: self.fontFolder) }
        var answer = Answer(.ok, headers: [("Content-Type", Self.types["css"] ?? ""), ("Cache-Control", "no-cache")])
        answer.body = .bytes(ByteBuffer(string: text ?? ""))
        return answer
    }

    private func answer(_ module: JoinedModules.Module, to request: Request) -> Answer {
        let headers = [(name: "ETag", value: module.tag), (name: "Cache-Control", value: "no-cache")]
        if request.knows(tag: module.tag) { return Answer(.notModified, headers: headers) }
        let packs = request.accepts(encoding: "gzip")
        var answer = Answer(
            .ok, headers: headers + [("Content-Type", Self.types["js"] ?? ""), ("Vary", "Accept-Encoding")])
        answer.body = .bytes(packs ? module.packed : module.plain)
        if packs { answer.headers.append(("Content-Encoding", "gzip")) }
        return answer
    }

    /// The entity tag, which changes with the file; nil if the file is missing.
    private static func tag(of file: File) -> String? {
        guard let own = file.own else { return tag(of: file.path) }
        return "\"\(String(own.reduce(UInt64(own.count)) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }, radix: 36))\""
    }

    static func tag(of path: String) -> String? {
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: path),
            let size = attributes[.size] as? UInt64, let date = attributes[.modificationDate] as? Date
        else { return nil }
        let time = Int64(exactly: (date.timeIntervalSince1970 * 1000).rounded()) ?? 0
        return "\"\(String(size, radix: 36))-\(String(time, radix: 36))\""
    }

    /// The file's bytes; nil if it can't be read. Runs in the pool.
    private func content(of file: File, tag: String, packs: Bool) -> ByteBuffer? {
        if packs, let known = packed.withLock({ $0[file.path] }), known.tag == tag { return known.bytes }
        guard var data = file.own.map({ Data($0) }) ?? FileManager.default.contents(atPath: file.path) else {
            return nil
        }
        if file.hasComments {
            let lines = OwnSource.withoutComments(String(decoding: data, as: UTF8.self))
            data = Data(lines.map { $0 + "\n" }.joined().utf8)
        }
        guard packs else { return ByteBuffer(bytes: data) }
        guard let bytes = Gzip.compressed(Array(data)) else { return nil }
        let buffer = ByteBuffer(bytes: bytes)
        packed.withLock { $0[file.path] = Packed(tag: tag, bytes: buffer) }
        return buffer
    }
}
