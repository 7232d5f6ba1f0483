public import ReceiverProtocol

extension Flight {
    /// The winds of the flight so far; nil if none are known.
    public func winds(of serial: SondeSerial) -> StoredWinds? {
        let layers = judge.winds.winds.stored
        guard !layers.isEmpty, let first = track.points.first, let newest = newestTrusted else { return nil }
        var winds = StoredWinds(
            origin: .flight, serial: serial, place: first.coordinate, at: newest.time, layers: layers)
        winds.begunAt = first.time
        return winds
    }
}
