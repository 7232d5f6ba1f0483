import ReceiverProtocol

/// The recorded flights as a list.
public enum FlightList {
    /// `{"flights":[{…}, …]}`, the newest first.
    public static func json(_ flights: [ArchivedFlight]) -> [UInt8] {
        var json = JSONText()
        json.array("flights", flights[...]) { inner, flight in
            inner.object { fields in
                fields.field("serial", flight.serial.canonical)
                fields.field("sonde_type", flight.sondeType.named?.name)
                fields.field("first_at", flight.firstAt)
                fields.field("last") { $0.fields(of: flight.last) }
                fields.field("track_points", flight.points)
                fields.field("highest_m", flight.highestMetres, decimals: 1)
                fields.field("landing", flight.landing) { $0.fields(of: $1) }
                fields.field("predicted_landing", flight.predictedLanding) { $0.fields(of: $1) }
            }
        }
        return json.object
    }
}
