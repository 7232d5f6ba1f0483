public import FlightMath

/// The winds that this flight has met, in layers of 250 m.
public struct WindsReport: Equatable, Sendable {
    public var winds: StoredWinds

    public init(_ winds: StoredWinds) {
        self.winds = winds
    }

    /// `{"layers":[[altitude_m, east_mps, north_mps, seconds of drift] …]}`, from the lowest layer to the highest.
    static func payload(of report: WindsReport?) -> [UInt8] {
        var whole = JSONText()
        whole.array("layers", (report?.winds.layers ?? [])[...]) { json, layer in
            json.values { numbers in
                numbers.value(layer.altitudeMetres, decimals: 1)
                numbers.value(layer.east, decimals: 2)
                numbers.value(layer.north, decimals: 2)
                numbers.value(Int(min(1e9, layer.seconds.rounded())))
            }
        }
        return whole.object
    }
}
