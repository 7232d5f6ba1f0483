import GatewayReports

/// Reads a value that takes long. Pages that ask while it is read, or soon after, get the same one.
actor SharedReading<Value: Sendable> {
    private let interval: Duration
    private let read: @Sendable () async -> Result<Value, StoreError>
    private var reading: Task<Result<Value, StoreError>, Never>?
    /// When the value was read; nil while it is.
    private var readAt: ContinuousClock.Instant?

    /// - Parameter interval: how long a value is given again. A failure is not.
    init(every interval: Duration, _ read: @escaping @Sendable () async -> Result<Value, StoreError>) {
        (self.interval, self.read) = (interval, read)
    }

    func value() async throws(StoreError) -> Value {
        if let readAt, readAt.duration(to: .now) >= interval { reading = nil }
        return try await (reading ?? begin()).value.get()
    }

    private func begin() -> Task<Result<Value, StoreError>, Never> {
        readAt = nil
        let task = Task {
            let result = await read()
            readAt = .now
            if case .failure = result { reading = nil }
            return result
        }
        reading = task
        return task
    }
}
