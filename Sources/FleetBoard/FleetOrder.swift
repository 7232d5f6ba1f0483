public import FlightMath
public import GatewayReports

/// A command from the board's page to one car. Its only order is which sonde to hunt:
/// `{"car":"car2","hunt":"V4210150"}`.
public struct FleetOrder: Equatable, Sendable {
    public var car: String
    /// The serial; null ends the hunt.
    public var hunt: JSONValue

    /// - Parameter body: the body of the page's request.
    /// - Returns: nil if the body is not such an order.
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

    /// The command's JSON for the car. It holds the time of sending, so that the car refuses it if it comes late.
    public func payload(id: String, at now: WallTime) -> [UInt8] {
        var json = JSONText()
        json.field("hunt", hunt)
        json.field("id", id)
        json.field("at", now)
        return json.object
    }

    /// A longer answer of a car is not read, bytes.
    private static let longestAnswer = 16_384

    /// The id of the order that a car's final answer belongs to; nil for any other message.
    public static func idOfFinalAnswer(in payload: [UInt8]) -> String? {
        guard payload.count <= longestAnswer, let json = JSONValue(json: payload),
            json["final"]?.asTruth == true
        else { return nil }
        return json["id"]?.asText
    }
}
