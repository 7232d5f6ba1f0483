import CLinux
import Glibc
import Synchronization
import Threads

/// Resolves the broker's name on a thread of its own. Without a network a look-up takes half a minute and can't be
/// interrupted.
final class NameLookup: Sendable {
    /// The most addresses kept from one answer.
    static let limit = 8

    private let host: String
    private let state = Mutex(State())

    private struct State {
        var isRunning = false
        var answer: Answer?
    }

    enum Answer: Equatable {
        case addresses([String])
        /// The system's error text.
        case failed(String)
    }

    init(_ host: String) {
        self.host = host
    }

    /// A path or an address needs no look-up.
    static func isName(_ host: String) -> Bool {
        var space = in6_addr()
        return !host.hasPrefix("/") && inet_pton(AF_INET, host, &space) != 1 && inet_pton(AF_INET6, host, &space) != 1
    }

    /// Begins a look-up, unless an earlier one is still running.
    func begin(whenDone: @escaping @Sendable () -> Void) {
        let isFirst = state.withLock { state in
            defer { state.isRunning = true }
            return !state.isRunning
        }
        guard isFirst else { return }
        let hasBegun = startThread(named: "one call") { [self] in
            let answer = Self.resolve(host)
            state.withLock { $0 = State(isRunning: false, answer: answer) }
            whenDone()
        }
        guard !hasBegun else { return }
        state.withLock { $0 = State(isRunning: false, answer: .failed("no thread for the look-up")) }
    }

    /// The newest answer; nil if it was already taken.
    func takeAnswer() -> Answer? {
        state.withLock { state in
            defer { state.answer = nil }
            return state.answer
        }
    }

    /// Filters of advertisements answer so. A connection to it would reach this machine.
    private static let unspecified: Set = ["0.0.0.0", "::"]

    /// What helps if nobody knows the name; empty if that is not known.
    private static func advice(for host: String) -> String {
        guard host.lowercased().hasSuffix(".local") else { return "" }
        return "; names in .local need mDNS: sudo apt install libnss-mdns, or give the address, in a container always"
    }

    static func resolve(_ host: String) -> Answer {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, nil, &hints, &list)
        defer { if let list { freeaddrinfo(list) } }
        guard status == 0 else { return .failed(String(cString: gai_strerror(status)) + advice(for: host)) }
        var addresses: [String] = []
        var isBlocked = false
        var entry = list
        while let current = entry?.pointee, addresses.count < limit {
            entry = current.ai_next
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            let outcome = getnameinfo(
                current.ai_addr, current.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
            guard outcome == 0 else { continue }
            let address = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            guard !unspecified.contains(address) else {
                isBlocked = true
                continue
            }
            if !addresses.contains(address) { addresses.append(address) }
        }
        guard isBlocked, addresses.isEmpty else { return .addresses(addresses) }
        return .failed("the name server answers with no usable address: a filter blocks this name")
    }
}
