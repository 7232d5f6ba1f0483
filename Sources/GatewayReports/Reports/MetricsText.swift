/// Writes metrics in Prometheus' text format:
///
///     # HELP sondygo2mqtt_frames_total Frames of the receiver.
///     # TYPE sondygo2mqtt_frames_total counter
///     sondygo2mqtt_frames_total{type="1"} 4711
struct MetricsText {
    let prefix: String
    private(set) var text = ""

    mutating func gauge(_ name: String, help: String, _ value: Int) {
        add(name, type: "gauge", help: help, [("", value)])
    }

    mutating func counter(_ name: String, help: String, _ value: Int) {
        add(name, type: "counter", help: help, [("", value)])
    }

    mutating func gauges(_ name: String, help: String, by label: String, _ values: [(String, Int)]) {
        add(name, type: "gauge", help: help, values.map { (Self.label(label, $0.0), $0.1) })
    }

    mutating func counters(_ name: String, help: String, by label: String, _ values: [(String, Int)]) {
        add(name, type: "counter", help: help, values.map { (Self.label(label, $0.0), $0.1) })
    }

    mutating func counters(_ name: String, help: String, by label: String, _ values: [String: Int]) {
        counters(name, help: help, by: label, values.sorted { $0.key < $1.key })
    }

    /// Without samples there is no metric.
    private mutating func add(_ name: String, type: String, help: String, _ samples: [(labels: String, Int)]) {
        guard !samples.isEmpty else { return }
        text += "# HELP \(prefix)\(name) \(help)\n# TYPE \(prefix)\(name) \(type)\n"
        for (labels, value) in samples { text += "\(prefix)\(name)\(labels) \(value)\n" }
    }

    private static func label(_ name: String, _ value: String) -> String {
        let escaped = value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
        return "{\(name)=\"\(escaped)\"}"
    }
}
