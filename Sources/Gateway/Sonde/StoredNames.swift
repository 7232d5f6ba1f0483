import ReceiverProtocol

/// The followed sonde's two names, in their stored form.
struct StoredNames: StoredValue {
    var atReceiver: SondeSerial
    var onSondeHub: SondeSerial
}

extension StoredNames {
    /// - Parameter text: the names, with a tabulator between.
    init?(earlier text: String) {
        let names = text.split(separator: "\t").map { SondeSerial(name: String($0), type: .other("")) }
        guard names.count == 2, let atReceiver = names[0], let onSondeHub = names[1] else { return nil }
        self.init(atReceiver: atReceiver, onSondeHub: onSondeHub)
    }
}
