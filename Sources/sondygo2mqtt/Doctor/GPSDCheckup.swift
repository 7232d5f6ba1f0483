import FlightMath
import Gateway
import GatewayReports
import ReceiverProtocol
import StreamTransports

/// Checks whether gpsd sends a position of the car within a few seconds.
struct GPSDCheckup {
    let configuration: Configuration

    /// A GPS receiver sends once a second.
    private static let listeningLimit = Duration.seconds(3)

    var finding: Finding {
        get async {
            let gpsd = configuration.gpsd
            guard gpsd.isEnabled, configuration.car.sources.contains(.gpsd) else {
                return Finding.ok("gpsd", "is switched off in the configuration")
            }
            let place = "\(gpsd.host):\(gpsd.port)"
            return await ask(TCPTransport(host: gpsd.host, port: gpsd.port), place)
        }
    }

    private func ask(_ transport: TCPTransport, _ place: String) async -> Finding {
        do throws(TransportError) {
            let connection = try await transport.connected(to: place)
            let deadline = Task {
                try await Task.sleep(for: Self.listeningLimit)
                await connection.close()
            }
            defer { deadline.cancel() }
            var heard = Heard()
            do throws(TransportError) {
                try await connection.write(GPSDStream.greeting)
                var stream = GPSDStream()
                while !heard.isRunning, let chunk = try await connection.next() {
                    heard.add(stream.append(chunk.bytes))
                }
            } catch {
                // The time is over or gpsd hung up: the result is what came before.
            }
            await connection.close()
            return cableFinding(heard.devices ?? []) ?? heard.finding(place)
        } catch {
            return Finding.note(
                "gpsd", "\(error.detail); the gateway works without it", code: .gpsdSilent, place: place)
        }
    }

    /// Debian's udev rule gives each cable with a CP2102 to gpsd, and many MySondyGo have this chip.
    private func cableFinding(_ devices: [String]) -> Finding? {
        guard let device = (configuration.receiver.chosen as? SerialSettings)?.device else { return nil }
        let target = CableHolder.target(of: device)
        guard devices.contains(where: { !$0.isEmpty && CableHolder.target(of: $0) == target }) else { return nil }
        return Finding.note(
            "gpsd",
            "gpsd uses \(device), the receiver's cable, as a GPS receiver; "
                + "take it away from gpsd as cable.md says")
    }

    private struct Heard {
        /// The newest fix.
        var fix: CarFix?
        /// Fixes with the time of the one before. Two of them, a second apart, come from a receiver that has hung.
        var repeats = 0
        /// A fix had another time than the one before, or none.
        var isRunning = false
        var isWithoutFix = false
        var isUnreadable = false
        /// The paths of gpsd's receivers.
        var devices: [String]?

        mutating func add(_ messages: [GPSDStream.Message]) {
            for message in messages {
                switch message {
                case .fix(let next):
                    repeats += next.time == fix?.time ? 1 : 0
                    isRunning = isRunning || next.time == nil || fix != nil && next.time != fix?.time
                    fix = next
                case .noFix: isWithoutFix = true
                case .devices(let paths): devices = paths
                case .unreadable: isUnreadable = true
                }
            }
        }

        func finding(_ place: String) -> Finding {
            if let fix {
                guard isRunning || repeats < 2 else {
                    return Finding.note(
                        "gpsd", "\(place) sends one time again and again; has the GPS receiver hung?",
                        code: .gpsdStandsStill)
                }
                let accuracy = fix.accuracyMetres.map { ", to \(Int(exactly: $0.rounded(.up)) ?? 0) m" } ?? ""
                return Finding.ok("gpsd", "\(place) knows where the car is\(accuracy)")
            }
            if isWithoutFix {
                return Finding.note(
                    "gpsd", "\(place) has a receiver, but no fix yet; does it have a clear view of the sky?",
                    code: .gpsdNoFix)
            }
            if isUnreadable {
                return Finding.note(
                    "gpsd", "\(place) sends lines that can't be read; is it gpsd?", code: .gpsdUnreadable, place: place)
            }
            guard let devices else {
                return Finding.note(
                    "gpsd", "\(place) says nothing; is it gpsd?", code: .gpsdSilent, place: place)
            }
            return devices.isEmpty
                ? Finding.note(
                    "gpsd", "\(place) has no receiver; plug one in, or name it in /etc/default/gpsd",
                    code: .gpsdNoReceiver)
                : Finding.note("gpsd", "\(place) has a receiver that says nothing", code: .gpsdReceiverSilent)
        }
    }
}
