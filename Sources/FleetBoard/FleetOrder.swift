public import FlightMath
public import GatewayReports

/// A command from the board's page to one car. It can only be sent which sonde to hunt: `{"car":"car2","hunt":"V4210150"}`.
public struct FleetOrder: Equatable, Sendable {
    public var car: String
    /// The serial; null takes it back.
    public var hunt: JSONValue

    /// - Parameter body: of the request.
    /// - Returns: nil if it is no such order.
    public init?(_ body: [UInt8]) {
        guard case .object(let members)? = JSONValue(json: body), members.count == 2,
            case .string(let car)? = members["car"], let hunt = members["hunt"]
        else { return nil }
        switch hunt {
        case .string, .null: break
        case .bool, .integer, .number, .digits, .array, .object: return nil
        }
        (self.car, self.hunt) = (car, hunt)
    }

    /// The command as the car gets it. With its time it can't be carried out late.
    public func payload(id: String, at now: WallTime) -> [UInt8] {
        var json = JSONText()
        json.field("hunt", hunt)
        json.field("id", id)
        json.field("at", now)
        return json.object
    }

    /// The longest answer of a car that is read, bytes.
    private static let longestAnswer = 16_384

    /// The id of the order that a car's final answer belongs to; nil for any other message.
    public static func idOfFinalAnswer(in payload: [UInt8]) -> String? {
        guard payload.count <= longestAnswer, let json = JSONValue(json: payload),
            json["final"]?.asTruth == true
        else { return nil }
        return json["id"]?.asText
    }
}
