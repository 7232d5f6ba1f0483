import GatewayReports
import NIOCore
import NIOHTTP1

/// One line of `/api/diagnosis`: what works, or what is missing and what to do.
public struct DiagnosisLine: Equatable, Sendable {
    /// `receiver`, `broker`, `sondehub`, `gpsd`, `clock`, `page` or `maps`.
    public var subject: String
    public var isOK: Bool
    /// In English.
    public var text: String
    /// The name of the fault, from which the page makes a sentence in another language; nil if the fault has none.
    public var code: String?
    /// The server or map that the line is about; nil if it names none.
    public var place: String?

    public init(subject: String, isOK: Bool, text: String, code: String? = nil, place: String? = nil) {
        self.subject = subject
        self.isOK = isOK
        self.text = text
        self.code = code
        self.place = place
    }

    /// `{"subject":"broker","ok":false,"text":"…","code":"broker_silent","place":"127.0.0.1:1883"}`
    fileprivate var json: [UInt8] {
        var json = JSONText()
        json.field("subject", subject)
        json.field("ok", isOK)
        json.field("text", text)
        if let code { json.field("code", code) }
        if let place { json.field("place", place) }
        return json.object
    }
}

/// Asks for the diagnosis at most once in ``interval``, whatever the number of pages, because each diagnosis asks other
/// services.
actor Diagnosis {
    static let interval = Duration.seconds(20)

    private let ask: @Sendable () async -> [DiagnosisLine]
    private var running: Task<[DiagnosisLine], Never>?
    private var begun: ContinuousClock.Instant?

    init(_ ask: @escaping @Sendable () async -> [DiagnosisLine]) {
        self.ask = ask
    }

    /// The lines as JSON. If the newest state shows a link to the receiver, its line says that it is connected.
    func answer(_ snapshot: Snapshot) async -> Answer {
        let now = ContinuousClock.now
        let isFresh = begun.map { $0.duration(to: now) < Self.interval } ?? false
        let task = isFresh ? running ?? Task { await ask() } : Task { await ask() }
        if !isFresh { begun = now }
        running = task
        var lines = await task.value
        if case .state(let state)? = snapshot[.state], state.link != .notConnected {
            lines.removeAll { $0.subject == "receiver" }
            lines.insert(DiagnosisLine(subject: "receiver", isOK: true, text: "is connected"), at: 0)
        }
        return .json(Array("[".utf8) + lines.map(\.json).joined(separator: Array(",\n".utf8)) + Array("]".utf8))
    }
}
