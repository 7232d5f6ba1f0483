public import FlightMath
public import GatewayReports

/// Asks the questions of `setup` in the browser. The program implements it, because the program owns the configuration.
public protocol SetupDesk: Sendable {
    /// The questions with their present answers, and the page's words, as JSON.
    /// - Parameter access: without access there are no questions, only the reason.
    func questions(_ access: SetupAccess, in language: Language) async -> [UInt8]
    /// What this box found for a question, as JSON; nil if there is no such question.
    func found(_ search: SetupSearch, in language: Language) async -> [UInt8]?
    /// Tests answers and keeps those that pass, or starts the gateway anew. The JSON says which; nil if the body is
    /// neither.
    func handle(_ body: [UInt8], in language: Language) async -> [UInt8]?
    /// The tile servers by the answers that are kept. The map takes them at once, without a new start.
    func onlineMaps() -> [OnlineMapOptions]
}

/// Whether a browser may answer the questions.
public enum SetupAccess: Sendable {
    case open
    /// The page has no key, so nothing tells the owner from a guest. A request from this machine is no proof: it may
    /// have come through a proxy.
    case keyless
    /// `dashboard.commands` is false.
    case readOnly
}

/// A question, and what the gateway knows already.
public struct SetupSearch: Sendable {
    /// The question's name.
    public var question: String
    /// The place that the user has typed but not kept yet, as text.
    public var place: String?
    /// The connected receiver's name and address. It does not advertise, so a scan does not find it.
    public var receiver: StateReport.Receiver?
    /// Where the car is.
    public var car: Coordinate?

    public init(
        question: String, place: String? = nil, receiver: StateReport.Receiver? = nil, car: Coordinate? = nil
    ) {
        (self.question, self.place, self.receiver, self.car) = (question, place, receiver, car)
    }
}
