import FlightMath
import GatewayReports
import ReceiverProtocol

// The allowed values of `bearing`.

extension CommandDecoder {
    private static let acceptedBearing =
        "{\"bearing_deg\":0…360 or \"ahead\",\"from\":{\"latitude\":…,\"longitude\":…},\"sigma_deg\":1…90}, of which only "
        + "bearing_deg is needed, \"ahead\", or {\"forget\":\"<id>\" or \"all\"}"

    func bearing(_ value: JSONValue) throws(CommandRefusal) -> BearingOrder {
        let usual = Bearing.usualErrorDegrees
        guard case .object(let named) = value else {
            // A bearing alone, as a button sends it.
            return .take(try direction(value), errorDegrees: usual)
        }
        let members = try Vocabulary.renamed(named, by: Vocabulary.bearing)
        if let id = members["forget"] {
            guard members.count == 1 else { throw .wrongType("bearing", accepts: Self.acceptedBearing) }
            return .forget(try forgotten(id))
        }
        guard let degrees = members["bearing_deg"],
            members.keys.allSatisfy({ ["bearing_deg", "from", "sigma_deg"].contains($0) })
        else { throw .wrongType("bearing", accepts: Self.acceptedBearing) }
        var bearing = try direction(degrees)
        if let from = members["from"], from != .null {
            bearing.place = try self.place(from, of: "from")
        }
        return .take(bearing, errorDegrees: try error(members["sigma_deg"]) ?? usual)
    }

    /// - Returns: a bearing without a place.
    private func direction(_ value: JSONValue) throws(CommandRefusal) -> HeardBearing {
        if Vocabulary.word(value) == "ahead" { return HeardBearing(degrees: 0, isRelative: true) }
        guard let degrees = Vocabulary.number(value) else {
            throw .wrongType("bearing", accepts: Self.acceptedBearing)
        }
        guard 0...360 ~= degrees else {
            throw CommandRefusal(.outOfRange, "bearing_deg \(degrees) is outside 0 to 360")
        }
        return HeardBearing(degrees: degrees == 360 ? 0 : degrees, isRelative: false)
    }

    /// - Returns: nil without a value.
    private func error(_ value: JSONValue?) throws(CommandRefusal) -> Double? {
        guard let value, value != .null else { return nil }
        guard let degrees = Vocabulary.number(value) else {
            throw .wrongType("sigma_deg", accepts: "a number of degrees, 1 to 90")
        }
        guard BearingOrder.errors.contains(degrees) else {
            throw CommandRefusal(.outOfRange, "sigma_deg \(degrees) is outside 1 to 90")
        }
        return degrees
    }

    /// - Returns: nil for all bearings.
    private func forgotten(_ value: JSONValue) throws(CommandRefusal) -> Int? {
        if Vocabulary.word(value) == "all" { return nil }
        guard let number = Vocabulary.wholeNumber(value), number > 0 else {
            throw .wrongType("forget", accepts: "the id of a bearing, as the topic bearings lists it, or \"all\"")
        }
        return number
    }
}
