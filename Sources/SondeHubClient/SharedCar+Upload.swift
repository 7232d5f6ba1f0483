import FlightMath
import Gateway
import GatewayReports

extension SharedCar {
    /// The car as JSON for SondeHub's listeners call. Without a position SondeHub shows no car.
    /// - Parameter userAgent: the uploading software, as `name/version (more)`.
    func upload(from userAgent: String) -> [UInt8] {
        let software = userAgent.prefix { $0 != " " }.split(separator: "/", maxSplits: 1)
        var json = JSONText()
        json.field("software_name", String(software.first ?? "sondygo2mqtt"))
        json.field("software_version", software.count > 1 ? String(software[1]) : "0")
        json.field("uploader_callsign", callSign)
        if let coordinate {
            let numbers = [coordinate.latitude, coordinate.longitude, altitudeMetres ?? 0]
            json.array("uploader_position", numbers[...]) { $0.value($1, decimals: 6) }
        } else {
            json.field("uploader_position", nil as String?)
        }
        json.field("uploader_antenna", "Chase car, MySondyGo")
        json.field("uploader_contact_email", "none@none.com")
        json.field("mobile", true)
        return json.object
    }
}
