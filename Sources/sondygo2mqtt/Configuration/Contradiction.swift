/// Values that don't go together.
struct Contradiction {
    /// Any of them can be at fault.
    var keys: [String]
    var text: String

    static func all(in configuration: Configuration) -> [Contradiction] {
        let (mqtt, receiver, sondeHub) = (configuration.mqtt, configuration.receiver, configuration.sondeHub)
        let tlsFiles = ["mqtt.tls.ca_file", "mqtt.tls.cert_file", "mqtt.tls.key_file"]
        var found: [Contradiction] = []
        if receiver.frequencyMinimum >= receiver.frequencyMaximum {
            found.append(
                Contradiction(
                    keys: ["receiver.frequency_min", "receiver.frequency_max"],
                    text: "receiver.frequency_min: \(receiver.frequencyMinimum) is not below "
                        + "receiver.frequency_max \(receiver.frequencyMaximum)"))
        }
        if receiver.transport == .replay, receiver.file == nil {
            found.append(
                Contradiction(
                    keys: ["receiver.transport"],
                    text: "receiver.file: needed for receiver.transport replay; give the path of a raw log"))
        }
        if (mqtt.certificateFile == nil) != (mqtt.keyFile == nil) {
            found.append(
                Contradiction(
                    keys: tlsFiles, text: "mqtt.tls: cert_file and key_file belong together; give both or none"))
        }
        if !mqtt.usesTLS, mqtt.caFile != nil || mqtt.certificateFile != nil || mqtt.keyFile != nil {
            found.append(
                Contradiction(
                    keys: tlsFiles,
                    text: "mqtt.tls.enabled: false, but TLS files are given; set it to true or remove them"))
        }
        if (sondeHub.latitude == nil) != (sondeHub.longitude == nil) {
            found.append(
                Contradiction(
                    keys: ["sondehub.latitude", "sondehub.longitude"],
                    text: "sondehub: latitude and longitude belong together; give both or none"))
        }
        if mqtt.passwordFile != nil, mqtt.username == nil {
            found.append(
                Contradiction(
                    keys: ["mqtt.password_file"],
                    text: "mqtt.username: needed with mqtt.password_file; give the user name, or remove the file"))
        }
        return found
    }
}
