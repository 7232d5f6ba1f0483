package import FlightMath
package import GatewayReports
import ReceiverProtocol

// Answers to the app's requests: recorded flights, and facts about this gateway.

extension RocketMessage {
    /// The list of flights. Slot 0 is the newest.
    package static func flashList(_ flights: [ArchivedFlight]) -> [UInt8] {
        line("flash_list") { json in
            json.field("count", flights.count)
            json.array("flights", Array(flights.enumerated())[...]) { inner, entry in
                inner.object { fields in
                    let (slot, flight) = entry
                    let milliseconds = Int(flight.last.time.duration(since: flight.firstAt).wholeMilliseconds)
                    fields.field("slot", slot)
                    fields.field("id", Int(flight.id))
                    fields.field("name", flight.serial.canonical)
                    fields.field("alt", flight.highestMetres, decimals: 1)
                    fields.field("altitude", flight.highestMetres, decimals: 1)
                    fields.field("time", milliseconds)
                    fields.field("time_ms", milliseconds)
                    fields.field("samples", flight.points)
                }
            }
        }
    }

    /// The header in two lines, because two versions of the app expect different names.
    package static func flashHeader(_ header: FlashHeader, slot: Int) -> [UInt8] {
        let data = header.bytes.hex
        return line("flash_header") { json in
            json.field("slot", slot)
            json.field("data", data)
        }
            + line("flash_data") { json in
                json.field("slot", slot)
                json.field("header", true)
                json.field("altitude", header.highestMetres, decimals: 1)
                json.field("samples", header.samples)
                json.field("time_ms", Int(header.duration.wholeMilliseconds))
                json.field("data", data)
            }
    }

    package static func flashData(_ samples: some Collection<FlashSample>, slot: Int, start: Int, total: Int) -> [UInt8]
    {
        line("flash_data") { json in
            json.field("slot", slot)
            json.field("start", start)
            json.field("total", total)
            json.field("count", samples.count)
            json.field("data", samples.flatMap(\.bytes).hex)
        }
    }

    package static func acknowledgement(id: Int, isOK: Bool) -> [UInt8] {
        line("ack") { json in
            json.field("id", id)
            json.field("ok", isOK)
        }
    }

    package static func error(_ code: String, _ message: String) -> [UInt8] {
        line("error") { json in
            json.field("code", code)
            json.field("message", message)
        }
    }

    package static func status(isConnected: Bool, rockets: Int) -> [UInt8] {
        line("status") { json in
            json.field("connected", isConnected)
            json.field("rockets", rockets)
        }
    }

    package static func gatewayInfo(version: String, isConnected: Bool, car: CarPosition?, received: Int) -> [UInt8] {
        line("gw_info") { json in
            program(version, into: &json)
            json.field("gps_fix", car != nil)
            json.field("gps_sats", car == nil ? 0 : satellitesOfAFix)
            if let car {
                json.field("gps_lat", car.coordinate.latitude, decimals: 6)
                json.field("gps_lon", car.coordinate.longitude, decimals: 6)
            }
            json.field("rx", received)
            json.field("tx", 0)
            json.field("connected", isConnected)
        }
    }

    package static func flightComputerInfo(_ sonde: FeedSonde?, version: String) -> [UInt8] {
        line("fc_info") { json in
            program(version, into: &json)
            json.field("rocket_id", 0)
            json.field("rocket_name", sonde?.serial.canonical ?? "")
            json.field("state", (sonde.map { RocketState($0) } ?? .idle).name)
        }
    }

    private static func program(_ version: String, into json: inout JSONText) {
        json.field("version", version)
        json.field("build", "sondygo2mqtt")
    }
}
