import Gateway

/// Chooses the broker of the next attempt: the one that last served, then each other in turn. A round ends when each
/// has failed once; then the client waits, and looks up the names again.
struct BrokerRound {
    private var places: [BrokerAddress] = []
    /// Index of the place for the next attempt.
    private var turn = 0
    private var failures: [(place: BrokerAddress, failure: BrokerFailure)] = []

    /// Nothing has failed since the last round or session.
    var isFresh: Bool { failures.isEmpty }
    /// The place for the next attempt; nil before ``begin(_:)``.
    var place: BrokerAddress? { places.isEmpty ? nil : places[turn] }

    /// Begins a round. If the names have other addresses now, the place of the next attempt stays as long as it is one
    /// of them.
    /// - Parameter places: not empty, in the order of the configuration.
    mutating func begin(_ places: [BrokerAddress]) {
        guard places != self.places else { return }
        turn = place.flatMap { places.firstIndex(of: $0) } ?? 0
        self.places = places
    }

    /// The attempt failed, so the next place has the next attempt.
    /// - Returns: every place's failure in one, if the round is over; nil if the next attempt follows at once.
    mutating func failed(_ failure: BrokerFailure) -> BrokerFailure? {
        if let place { failures.append((place, failure)) }
        advance()
        guard failures.count >= places.count else { return nil }
        defer { failures = [] }
        return summary ?? failure
    }

    /// A session ended.
    /// - Parameter servedWell: whether the next attempt goes to the same place.
    mutating func sessionEnded(servedWell: Bool) {
        failures = []
        if !servedWell { advance() }
    }

    private mutating func advance() { turn = places.isEmpty ? 0 : (turn + 1) % places.count }

    /// All failures as one. Its text is theirs if all are alike, else each of them with its place. Its code is that of
    /// a failure that somebody must mend, if there is one.
    private var summary: BrokerFailure? {
        guard let last = failures.last else { return nil }
        let isAlike = failures.allSatisfy { $0.failure.detail == last.failure.detail }
        let main = failures.first { $0.failure.code.needsMending } ?? last
        return BrokerFailure(
            main.failure.code,
            isAlike
                ? last.failure.detail
                : failures.map { "\($0.place.text): \($0.failure.detail)" }.joined(separator: "; "))
    }
}

extension BrokerFailure.Code {
    /// Waiting doesn't help: somebody has to change something.
    var needsMending: Bool {
        switch self {
        case .refused, .moved, .unsupportedVersion, .tls, .configuration, .oversized: true
        case .takenOver, .unreachable, .lost, .timedOut, .busy: false
        }
    }
}
