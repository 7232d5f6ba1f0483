import FlightMath
import Foundation
import Gateway
import GatewayReports
import ReceiverProtocol

/// Runs the whole machine through a day of virtual time, with a frame and a prediction each second, and prints its
/// memory hour by hour. A track holds twelve hours; after that nothing may grow.
struct EnduranceFigures {
    private static let hours = 24
    private static let frames = 3600

    func report() {
        var now = Moment(
            monotonic: .zero, wall: WallTime(millisecondsSince1970: 1_795_314_600_000), isClockSynced: true)
        var machine = GatewayMachine(
            info: InfoReport(version: "figures", id: "figures", machine: "figures"), prediction: PredictionOptions(),
            startedAt: now)
        _ = machine.handle(.linkOpened(ReceiverPeer(name: "x", maximumWriteLength: 128)), at: now)
        print(
            "A balloon that floats, followed by the machine for \(Self.hours) h at a frame a second, all of them predicted"
        )
        print("hour  resident MB  predictions  Tawhiri asked  seconds of processor")
        var (predictions, questions) = (0, 0)
        let began = cpuMicroseconds()
        for second in 0..<(Self.hours * Self.frames) {
            now.monotonic = now.monotonic.advanced(by: .seconds(1))
            now.wall = now.wall.advanced(byMilliseconds: 1000)
            for action in machine.handle(.frame(Self.frame(second)), at: now) {
                switch action {
                case .report(.prediction(.some)): predictions += 1
                case .call(let id, .tawhiri(let query)):
                    questions += 1
                    // Every second answer fails.
                    let answer: Answer =
                        questions.isMultiple(of: 2)
                        ? .failed(OnlineServiceError(.timedOut, "late")) : .prediction(Self.answer(to: query))
                    _ = machine.handle(.answered(id, answer), at: now)
                default: break  // Published messages do not matter here.
                }
            }
            let hour = (second + 1) / Self.frames
            guard (second + 1).isMultiple(of: Self.frames), [1, 2, 4, 8, 12, 16, 20, 24].contains(hour) else {
                continue
            }
            print(
                padded("\(hour)", 6) + padded(decimal(Self.residentMegabytes, 1), 13) + padded("\(predictions)", 13)
                    + padded("\(questions)", 15) + decimal((cpuMicroseconds() - began) / 1e6, 1))
        }
        print("")
    }

    /// The sonde rises for two hours, then goes up and down between 20 and 21 km in a turning wind.
    private static func frame(_ second: Int) -> Frame {
        let rising = Double(min(second, 7200))
        let floating = Double(max(0, second - 7200))
        let altitude = Int(500 + rising * 2.7 + 500 * sin(floating / 300))
        let angle = Double(second) / 20_000
        let latitude = 46.8 + 0.8 * sin(angle)
        let longitude = 6.9 + 0.8 * (1 - cos(angle))
        let text =
            "1/RS41/403.500/V3240531/\(decimal(latitude, 5))/\(decimal(longitude, 5))/\(altitude).0/36.0/5.0/98.5/88/0/0"
            + "/30600/4011/0/0/0/0/3.10/o"
        guard let frame = try? FrameParser.parse(Array(text.utf8).span) else { fatalError("a valid frame") }
        return frame
    }

    private static func answer(to query: TawhiriQuery) -> OnlinePrediction {
        let path = (0..<150).map { step in
            OnlinePrediction.Point(
                time: query.launchAt.advanced(byMilliseconds: Int64(step) * 60_000),
                coordinate: Coordinate(
                    latitude: query.launch.latitude, longitude: query.launch.longitude + Double(step) * 0.01),
                altitudeMetres: 20_000 - Double(step) * 130)
        }
        return OnlinePrediction(path: path, burst: path[0], landing: path[149])
    }

    private static var residentMegabytes: Double {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
        return (Double(line.filter(\.isNumber)) ?? .nan) / 1024
    }
}
