import NIOCore
import NIOHTTP1

/// Refuses requests that another site's page makes in a user's browser.
///
/// An unknown host name may be another site's name that points at this machine (DNS rebinding). Another site's form can
/// send a POST, but the browser adds its `Origin`, and the form can't send JSON.
///
/// Behind a proxy that asks its users who they are, like Home Assistant's ingress, only that proxy gets the page.
struct RequestPolicy: Sendable {
    /// The accepted host names in lower case.
    private let names: Set<String>
    /// The address of a proxy that knows its users; nil if others may ask, too.
    private let proxy: String?
    private let allowsCommands: Bool
    /// The setting that allows commands, for the refusal.
    private let commandsKey: String

    init(
        hosts: [String], ownName: String, proxy: String? = nil, allowsCommands: Bool,
        commandsKey: String = "dashboard.commands"
    ) {
        self.proxy = proxy
        names = Set((hosts + [ownName, "localhost"]).map { $0.lowercased() })
        self.allowsCommands = allowsCommands
        self.commandsKey = commandsKey
    }

    /// - Parameter lock: the page's key; nil if the page needs none. Whoever lacks the key learns nothing else.
    /// - Returns: the refusal or the lock's answer; nil if the request is accepted.
    func objection(to request: Request, behind lock: PageLock?) -> Answer? {
        if let objection = objection(to: request) ?? lock?.answer(to: request) { return objection }
        guard request.method == .POST, !allowsCommands else { return nil }
        return .refusal(.forbidden, "commands are switched off: \(commandsKey)")
    }

    private func objection(to request: Request) -> Answer? {
        let hosts = request.headers["host"]
        guard hosts.count == 1, let host = hosts.first else {
            return .refusal(.badRequest, "exactly one Host is needed")
        }
        let isFromProxy = proxy.map { request.client == $0 || request.client == "::ffff:" + $0 } ?? false
        guard proxy == nil || isFromProxy || request.path == "/api/health" else {
            return .refusal(.forbidden, "this page is open to dashboard.only_from alone")
        }
        // A proxy passes on its own name, which it has checked.
        guard let name = Self.name(of: host), isFromProxy || isOurs(name) else {
            return .refusal(.forbidden, "this name is not known here; add it to dashboard.hosts")
        }
        switch request.method {
        case .GET, .HEAD: return nil
        case .POST: break
        default:
            var answer = Answer.refusal(.methodNotAllowed)
            answer.headers.append(("Allow", "GET, HEAD, POST"))
            return answer
        }
        let types = request.headers["content-type"]
        guard types.count == 1, types[0].lowercased().split(separator: ";").first?.trimmed == "application/json" else {
            return .refusal(.unsupportedMediaType, "send application/json")
        }
        let origins = request.headers["origin"]
        guard origins.allSatisfy({ $0 == "http://\(host)" || $0 == "https://\(host)" }) else {
            return .refusal(.forbidden, "this comes from another page")
        }
        return nil
    }

    private func isOurs(_ name: String) -> Bool {
        let name = name.lowercased()
        return names.contains(name) || (name.hasSuffix(".local") && name.count > 6)
            || (try? SocketAddress(ipAddress: name, port: 0)) != nil
    }

    /// The host without port and brackets: `[::1]:8080` -> `::1`; nil if anything but a port follows.
    private static func name(of host: String) -> String? {
        let isBracketed = host.hasPrefix("[")
        let name = isBracketed ? host.dropFirst().prefix { $0 != "]" } : host.prefix { $0 != ":" }
        var rest = host[name.endIndex...]
        if isBracketed, rest.popFirst() != "]" { return nil }
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        let isPort = rest.first == ":" && rest.utf8.dropFirst().allSatisfy(digits.contains)
        return rest.isEmpty || isPort ? String(name) : nil
    }
}

extension Substring {
    fileprivate var trimmed: String { filter { $0 != " " }.description }
}
