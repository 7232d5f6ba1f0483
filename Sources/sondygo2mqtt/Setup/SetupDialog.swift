import BlueZTransport
import BluetoothProtocol
import GatewayReports
import ReceiverProtocol
import TransportIO

/// Asks the questions of `setup` on the terminal.
struct SetupDialog {
    let configuration: Configuration
    /// Reads a line that the user typed. Nil means that the input has ended: each further question keeps its value.
    let readAnswer: () -> String?

    /// How long to look for receivers.
    private static let scanTime = Duration.seconds(8)

    /// - Parameter answers: those that flags gave, by flag; they are not asked.
    /// - Returns: all answers by flag, without the questions that keep their value.
    func ask(besides answers: [String: String]) -> [String: String] {
        var answers = answers
        for question in SetupQuestion.all where answers[question.flag] == nil {
            let found = question.flag == SetupQuestion.receiver.flag ? receivers() : []
            for (number, row) in found.enumerated() {
                writeLine("  \(number + 1)  \(row.device.address.address)  \(row.device.data.name ?? "-")")
            }
            answers[question.flag] = answer(to: question, found)
        }
        return answers
    }

    private func answer(to question: SetupQuestion, _ found: [ScanTable.Row]) -> String? {
        let hint = found.isEmpty ? "" : ", or the number of one above"
        while true {
            writeLine("\(question.text)\(hint) [\(question.present(configuration))]:")
            guard let typed = readAnswer(), !typed.isEmpty else { return nil }
            let chosen = Int(typed).flatMap { found.indices.contains($0 - 1) ? found[$0 - 1] : nil }
            let answer = chosen.map { $0.device.address.address.description } ?? typed
            switch question.values(for: answer) {
            case .success: return answer
            case .failure(let refusal): writeLine("  \(refusal.text)")
            }
        }
    }

    /// The receivers in Bluetooth range; none, with the reason, if this box can't scan.
    private func receivers() -> [ScanTable.Row] {
        writeLine("Looking for receivers (\(Self.scanTime.components.seconds) s) …")
        var table = ScanTable(filter: ReceiverFilter(names: configuration.receiver.names, address: nil))
        do throws(TransportError) {
            let end = MonotonicTime.now.advanced(by: Self.scanTime)
            try ReceiverScanner(adapter: configuration.receiver.adapter).scan(until: end) { device in
                table.heard(device, at: .now)
            } tick: {
            }
        } catch {
            writeLine("  can't look: \(error.detail)")
            return []
        }
        if table.rows.isEmpty { writeLine("  none heard; a receiver that a phone is connected to is silent") }
        return table.rows
    }
}
