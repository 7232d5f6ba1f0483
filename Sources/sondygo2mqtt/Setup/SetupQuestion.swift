import BluetoothProtocol
import GatewayReports

/// A question of `setup`, and the keys that its answer sets.
struct SetupQuestion {
    /// The flag that answers it: `--site`.
    let flag: String
    let text: String
    /// The value in the configuration, as an answer.
    let present: @Sendable (Configuration) -> String
    /// - Returns: the keys with their values, nil for null; or what is accepted.
    let keys: @Sendable (String) -> Answer

    enum Answer {
        case keys(KeyValuePairs<String, String?>)
        case refused(String)
    }

    static let all = [id, site, language, receiver, tablets, callSign]

    private static let id = SetupQuestion(
        flag: "--id", text: "Name of this car, a level of its topics (a-z 0-9 _ -)", present: { $0.gateway.id },
        keys: { .keys(["gateway.id": $0]) })

    private static let site = SetupQuestion(
        flag: "--site", text: "Launch site, by SondeHub's number of the station (06610 is Payerne)",
        present: { $0.sondeHub.site }, keys: { .keys(["sondehub.site": $0]) })

    /// The codes of all languages.
    static let languages = Language.allCases.map(\.rawValue).joined(separator: ", ")

    private static let language = SetupQuestion(
        flag: "--language", text: "Language of events, speech and Home Assistant (\(languages))",
        present: { $0.language.rawValue }, keys: { .keys(["announce.language": $0.lowercased()]) })

    /// ``SetupDialog`` adds the receivers that it finds.
    static let receiver = SetupQuestion(
        flag: "--receiver",
        text: "Receiver: first (the first MySondyGo in Bluetooth range), usb (its cable), or its Bluetooth address",
        present: { configuration in
            switch configuration.receiver.transport {
            case .ble: configuration.receiver.address?.description ?? "first"
            case .serial: "usb"
            case .tcp, .replay, .simulator: configuration.receiver.transport.rawValue
            }
        },
        keys: { answer in
            switch answer.lowercased() {
            case "first": .keys(["receiver.transport": "ble", "receiver.address": nil])
            case "usb": .keys(["receiver.transport": "serial", "receiver.device": "/dev/mysondygo"])
            case let text where text.contains(":"): .keys(["receiver.transport": "ble", "receiver.address": answer])
            default: .refused("first, usb, or an address such as AA:BB:CC:DD:EE:FF")
            }
        })

    static let tablets = SetupQuestion(
        flag: "--tablets",
        text: "May tablets and phones open the page and command the receiver? yes (with a key, which this makes), "
            + "open (everybody in this network) or no",
        present: { configuration in
            switch configuration.dashboard.address {
            case "127.0.0.1", "::1": "no"
            case _: configuration.dashboard.keyFile == nil ? "open" : "yes"
            }
        },
        keys: { answer in
            switch answer.lowercased() {
            case "yes", "y": .keys(["dashboard.address": "::"])
            case "open": .keys(["dashboard.address": "::", "dashboard.key_file": nil])
            case "no", "n": .keys(["dashboard.address": "127.0.0.1"])
            default: .refused("yes, open or no")
            }
        })

    /// Whether the answer about tablets needs a key.
    static func needsKey(_ answer: String?) -> Bool { ["yes", "y"].contains(answer?.lowercased()) }

    private static let callSign = SetupQuestion(
        flag: "--call-sign", text: "Call sign for SondeHub's map, where everybody then sees this car (none: not there)",
        present: { $0.feeds.chaseCar.isEnabled ? $0.feeds.chaseCar.callSign ?? "none" : "none" },
        keys: { answer in
            answer.lowercased() == "none"
                ? .keys(["feeds.chase_car.enabled": "false"])
                : .keys(["feeds.chase_car.enabled": "true", "feeds.chase_car.callsign": answer])
        })

    /// The keys that the answer sets, with their values as they stand in the file.
    func values(for answer: String) -> Result<[(key: String, value: String)], Refusal> {
        let pairs: KeyValuePairs<String, String?>
        switch keys(answer) {
        case .keys(let found): pairs = found
        case .refused(let accepted): return .failure(Refusal(text: "\"\(answer)\" is not accepted; give \(accepted)"))
        }
        var values: [(key: String, value: String)] = []
        for (path, text) in pairs {
            var scratch = Configuration()
            guard let key = ConfigurationKey.named(path), key.apply(&scratch, text) else {
                let accepted = ConfigurationKey.named(path)?.accepted ?? ""
                return .failure(Refusal(text: "\"\(answer)\" is not accepted; give \(accepted)"))
            }
            values.append((path, text.map { key.type == .text ? "\"\($0)\"" : $0 } ?? "null"))
        }
        return .success(values)
    }

    struct Refusal: Error {
        var text: String
    }
}
