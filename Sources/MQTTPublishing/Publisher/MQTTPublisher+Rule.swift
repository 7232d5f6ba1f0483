import GatewayReports

extension MQTTPublisher {
    /// How a kind of report is published.
    struct Rule {
        var qos: UInt8 = 1
        var isRetained = true
        var expires = false
        /// Each report matters: one that could not be published at once is replayed later.
        var hasHistory = false

        /// The kinds that are not state-like. A kind that is missing here is retained until the next report.
        private static let others: [Report.Kind: Rule] = [
            .position: Rule(expires: true, hasHistory: true),
            .radio: Rule(expires: true),
            .chase: Rule(expires: true),
            .health: Rule(qos: 0),
            .signal: Rule(qos: 0, isRetained: false),
            .announcement: Rule(isRetained: false, hasHistory: true),
            .answer: Rule(isRetained: false, hasHistory: true),
        ]

        static func of(_ kind: Report.Kind) -> Rule { others[kind] ?? Rule() }
    }
}
