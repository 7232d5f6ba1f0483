import GatewayReports

extension MQTTPublisher {
    /// How a kind of report is published.
    struct Rule {
        var qos: UInt8 = 1
        var isRetained = true
        var expires = false
        /// Each one counts: what the broker could not have at once is replayed.
        var hasHistory = false

        /// Those that are not state-like; what stands here under no name is retained until the next one.
        private static let others: [Report.Kind: Rule] = [
            .position: Rule(expires: true, hasHistory: true),
            .radio: Rule(expires: true),
            .chase: Rule(expires: true),
            .health: Rule(qos: 0),
            .announcement: Rule(isRetained: false, hasHistory: true),
            .answer: Rule(isRetained: false, hasHistory: true),
        ]

        static func of(_ kind: Report.Kind) -> Rule { others[kind] ?? Rule() }
    }
}
