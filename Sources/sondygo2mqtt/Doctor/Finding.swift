import GatewayRuntime

/// The result of one check of `doctor`: one line for the user.
struct Finding: Equatable {
    enum Verdict: String {
        case ok
        /// The user should know it; the gateway works.
        case note
        /// The gateway can't work like this.
        case wrong = "WRONG"
    }

    var subject: String
    var verdict: Verdict
    /// The state, and if it is wrong, what to do.
    var text: String
    /// The fault by which the page finds its sentence in its own language; nil if the page shows ``text``.
    var code: Code?
    /// The server or the map that the page's sentence names.
    var place: String?

    /// The faults for which the page has a sentence in each language. The languages' files hold the same names.
    enum Code: String, CaseIterable {
        case receiverAway = "receiver_away"
        case receiverBluetooth = "receiver_bluetooth"
        case receiverPermission = "receiver_permission"
        case receiverDevice = "receiver_device"
        case receiverFile = "receiver_file"
        case brokerSilent = "broker_silent"
        case brokerRefused = "broker_refused"
        case brokerFailed = "broker_failed"
        case brokerLogin = "broker_login"
        case sondeHubSilent = "sondehub_silent"
        case gpsdSilent = "gpsd_silent"
        case gpsdNoFix = "gpsd_no_fix"
        case gpsdNoReceiver = "gpsd_no_receiver"
        case gpsdReceiverSilent = "gpsd_receiver_silent"
        case gpsdUnreadable = "gpsd_unreadable"
        case gpsdStandsStill = "gpsd_stands_still"
        case clockUnset = "clock_unset"
        case mapsAway = "maps_away"
        case mapsFile = "maps_file"
    }

    static func ok(_ subject: String, _ text: String, place: String? = nil) -> Finding {
        Finding(subject: subject, verdict: .ok, text: text, place: place)
    }

    static func note(_ subject: String, _ text: String, code: Code? = nil, place: String? = nil) -> Finding {
        Finding(subject: subject, verdict: .note, text: text, code: code, place: place)
    }

    static func wrong(_ subject: String, _ text: String, code: Code? = nil, place: String? = nil) -> Finding {
        Finding(subject: subject, verdict: .wrong, text: text, code: code, place: place)
    }

    var line: String {
        "\(verdict.rawValue.padded(to: 5))  \(subject.padded(to: 10))  \(text.plainLine(limit: 500))"
    }
}

extension String {
    func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}
