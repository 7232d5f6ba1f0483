import ReceiverProtocol

/// The crews that were announced at a sonde, in their stored form.
struct AnnouncedCrews: StoredValue {
    var serial: SondeSerial
    var crews: [String]

    /// The crews that were announced at this sonde.
    func crews(at serial: SondeSerial) -> [String] { self.serial == serial ? crews : [] }
}

extension AnnouncedCrews {
    /// - Parameter text: the serial and the crews, with tabulators between.
    init?(earlier text: String) {
        let words = text.split(separator: "\t").map { String($0) }
        guard let name = words.first, let serial = SondeSerial(name: name, type: .other("")) else { return nil }
        self.init(serial: serial, crews: Array(words.dropFirst()))
    }
}
