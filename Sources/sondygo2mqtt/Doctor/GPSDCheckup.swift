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
            let late = Finding.note("gpsd", "\(place) does not answer; the gateway works without it")
            return await within(Self.listeningLimit + .seconds(1), or: late) {
                await ask(TCPTransport(host: gpsd.host, port: gpsd.port), place)
            }
        }
    }

    private func ask(_ transport: TCPTransport, _ place: String) async -> Finding {
        do throws(TransportError) {
            let connection = try await transport.connect { _ in }
            let deadline = Task {
                try await Task.sleep(for: Self.listeningLimit)
                await connection.close()
            }
            defer { deadline.cancel() }
            var heard = Heard()
            do throws(TransportError) {
                try await connection.write(GPSDStream.watch)
                var stream = GPSDStream()
                while !heard.hasFix, let chunk = try await connection.next() {
                    heard.add(stream.append(chunk.bytes))
                }
            } catch {
                // The time is over or gpsd hung up: the result is what came before.
            }
            await connection.close()
            return heard.finding(place)
        } catch {
            return Finding.note("gpsd", "\(place): \(error.detail); the gateway works without it")
        }
    }

    private struct Heard {
        var fix: CarFix?
        var isWithoutFix = false
        var devices: Int?
        var hasFix: Bool { fix != nil }

        mutating func add(_ messages: [GPSDStream.Message]) {
            for message in messages {
                switch message {
                case .fix(let fix): self.fix = fix
                case .noFix: isWithoutFix = true
                case .devices(let count): devices = count
                }
            }
        }

        func finding(_ place: String) -> Finding {
            if let fix {
                let accuracy = fix.accuracyMetres.map { ", to \(Int(exactly: $0.rounded(.up)) ?? 0) m" } ?? ""
                return Finding.ok("gpsd", "\(place) knows where the car is\(accuracy)")
            }
            if isWithoutFix {
                return Finding.note("gpsd", "\(place) has a receiver, but no fix yet; does it see the sky?")
            }
            guard let devices else { return Finding.note("gpsd", "\(place) says nothing; is it gpsd?") }
            return devices == 0
                ? Finding.note("gpsd", "\(place) has no receiver; plug one in, or name it in /etc/default/gpsd")
                : Finding.note("gpsd", "\(place) has a receiver that says nothing")
        }
    }
}
