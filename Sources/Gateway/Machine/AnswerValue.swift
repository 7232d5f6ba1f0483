import FlightMath
import GatewayReports
import ReceiverProtocol

/// What an ``Errand`` brings home: the typed content of an ``Answer``.
protocol AnswerValue: Sendable {
    /// Nil if the answer is of another kind.
    init?(_ answer: Answer)
}

/// An element of the lists that SondeHub answers with.
protocol AnswerElement: Sendable {
    /// Nil if the answer is of another kind.
    static func list(in answer: Answer) -> [Self]?
}

extension Array: AnswerValue where Element: AnswerElement {
    init?(_ answer: Answer) {
        guard let list = Element.list(in: answer) else { return nil }
        self = list
    }
}

extension SondeLanding: AnswerElement {
    static func list(in answer: Answer) -> [SondeLanding]? {
        if case .landings(let list) = answer { list } else { nil }
    }
}

extension LaunchSite: AnswerElement {
    static func list(in answer: Answer) -> [LaunchSite]? { if case .sites(let list) = answer { list } else { nil } }
}

extension Recovery: AnswerElement {
    static func list(in answer: Answer) -> [Recovery]? { if case .recoveries(let list) = answer { list } else { nil } }
}

extension SondeHubAnswer: AnswerValue {
    init?(_ answer: Answer) {
        guard case .sondes(let sondes) = answer else { return nil }
        self = sondes
    }
}

extension Optional: AnswerValue where Wrapped == OnlinePrediction {
    init?(_ answer: Answer) {
        guard case .prediction(let prediction) = answer else { return nil }
        self = prediction
    }
}

extension TerrainAnswer: AnswerValue {
    init?(_ answer: Answer) {
        guard case .terrain(let terrain) = answer else { return nil }
        self = terrain
    }
}

extension SondeHubStreamNews: AnswerValue {
    init?(_ answer: Answer) {
        guard case .stream(let news) = answer else { return nil }
        self = news
    }
}

/// A piece of a track, or its end.
enum TrackNews: AnswerValue {
    case part(SondeHubAnswer)
    case end

    init?(_ answer: Answer) {
        if case .trackPart(let piece) = answer {
            self = .part(piece)
        } else if case .trackEnd = answer {
            self = .end
        } else {
            return nil
        }
    }
}
