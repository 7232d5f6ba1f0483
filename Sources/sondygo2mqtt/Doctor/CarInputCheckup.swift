import FlightMath
import Gateway
import GatewayReports
import GatewayRuntime

/// Checks whether each stream of `car.nmea` and `car.gdl90` brings a position of the car.
struct CarInputCheckup {
    let configuration: Configuration

    /// A receiver that sends no RMC tells its position with the sixth GGA, one a second.
    private static let listeningLimit = Duration.seconds(7)

    var findings: [Finding] {
        get async {
            let car = configuration.car
            let found = await withTaskGroup(of: (Int, Finding).self) { group in
                for (index, place) in car.nmea.enumerated() {
                    group.addTask { (index, await finding(of: place)) }
                }
                if let port = car.gdl90 { group.addTask { (car.nmea.count, await finding(ofGDL90: port)) } }
                return await group.reduce(into: [(Int, Finding)]()) { $0.append($1) }
            }
            return found.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    private func finding(of place: NMEAPlace) async -> Finding {
        let text = place.description
        guard let input = configuration.car.inputs.first(where: { $0.device == text }) else {
            return Finding.note("nmea", "\(text) is not read")
        }
        switch place {
        case .port(let port):
            return await listen(to: input, at: text, "programs send NMEA 0183 with checksums there?", port: port)
        case .server: return await listen(to: input, at: text, "is it a server of NMEA 0183?")
        case .cable(let device, let baud):
            if let holder = CableHolder.find(device) {
                return holder.isGateway
                    ? Finding.ok("nmea", "\(text) is in use by the running gateway")
                    : Finding.note("nmea", "\(text) is in use by \(holder.name) (process \(holder.process))")
            }
            return await listen(
                to: input, at: text, "does the receiver send NMEA 0183 at \(baud) baud? 4800, 9600 and 38400 are usual")
        }
    }

    private func finding(ofGDL90 port: Int) async -> Finding {
        guard let input = configuration.car.inputs.last, input.source == .gdl90 else {
            return Finding.note("gdl90", "UDP port \(port) is not read")
        }
        return await listen(to: input, at: "UDP port \(port)", "do programs send GDL 90 there?", port: port)
    }

    /// - Parameters:
    ///   - place: for people.
    ///   - question: what to check if nothing can be read.
    ///   - port: a UDP port of this machine, which the running gateway may hold.
    private func listen(
        to input: CarInput, at place: String, _ question: String, port: Int? = nil
    ) async -> Finding {
        let subject = input.source.rawValue
        guard configuration.car.sources.contains(input.source) else {
            return Finding.note(subject, "\(place) is not used: car.sources does not name \(subject)")
        }
        if let port, let fault = Listener(key: "car.\(subject)", host: "::", port: port, isDatagram: true).fault {
            return Finding.note(subject, place + fault)
        }
        do throws(TransportError) {
            let (verdict, text) = try await Self.hear(input, at: place).words(question)
            return Finding(subject: subject, verdict: verdict, text: "\(place) \(text)")
        } catch {
            return Finding.note(subject, "\(error.detail); the gateway works without it")
        }
    }

    /// Listens until the first fix, or the end of the time.
    private static func hear(_ input: CarInput, at place: String) async throws(TransportError) -> Heard {
        let connection = try await input.transport.connected(to: place)
        let deadline = Task {
            try await Task.sleep(for: listeningLimit)
            await connection.close()
        }
        defer { deadline.cancel() }
        var heard = Heard()
        do throws(TransportError) {
            var stream = input.makeStream()
            while heard.fix == nil, let chunk = try await connection.next() {
                heard.hasBytes = true
                for message in stream.messages(in: chunk.bytes) { heard.add(message) }
            }
        } catch {
            // The time is over or the other side hung up: the result is what came before.
        }
        await connection.close()
        return heard
    }

    private struct Heard {
        var fix: CarFix?
        var hasBytes = false
        var isWithoutFix = false
        var hasMessages = false

        mutating func add(_ message: CarMessage) {
            switch message {
            case .fix(let next): fix = next
            case .noFix: isWithoutFix = true
            case .other: hasMessages = true
            case .unreadable: break
            }
        }

        func words(_ question: String) -> (Finding.Verdict, String) {
            if let fix {
                let accuracy = fix.accuracyMetres.map { ", to \(Int(exactly: $0.rounded(.up)) ?? 0) m" } ?? ""
                return (.ok, "knows where the car is\(accuracy)")
            }
            if isWithoutFix { return (.note, "has no fix yet; does the receiver have a clear view of the sky?") }
            if hasMessages { return (.note, "brings messages, but none with a position (RMC, GGA; ownship)") }
            return (.note, (hasBytes ? "brings nothing that can be read; " : "is silent; ") + question)
        }
    }
}
