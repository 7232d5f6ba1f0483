import FlightMath
import Foundation
import Gateway
import GatewayTestSupport

/// One flight, heard by the machine's receiver. The machine predicts by the own winds only.
struct HeardFlight {
    static let spacing: Int64 = 5

    var script: Script
    private let start: TrackPoint
    private var last: TrackPoint
    private(set) var seconds = 0.0

    init(_ start: TrackPoint, _ options: OwnWindsOptions, chase: ChaseOptions = ChaseOptions()) {
        var prediction = PredictionOptions.ownWindsOnly
        (prediction.descentRate, prediction.descentGrowth) = (options.descentRate, options.descentGrowth)
        prediction.burstAltitudeMetres = options.burstAltitudeMetres
        script = Script(prediction: prediction, chase: chase)
        (self.start, last) = (start, start)
        script.openLink()
        script.frame(Script.searching)
    }

    /// The receiver searches, so that its link stays open.
    mutating func search(until end: Double) -> Script.Outcome {
        var outcome = Script.Outcome()
        while seconds < end {
            let step = min(Double(Self.spacing), end - seconds)
            seconds += step
            outcome += script.wait(step)
            if seconds < end { outcome += script.frame(Script.searching) }
        }
        return outcome
    }

    mutating func hear(_ point: TrackPoint) -> Script.Outcome {
        let outcome = search(until: elapsed(at: point.time))
        let span = max(1, elapsed(at: point.time) - elapsed(at: last.time))
        let speed = last.coordinate.distanceMetres(to: point.coordinate) / span * 3.6
        let climb = (point.altitudeMetres - last.altitudeMetres) / span
        last = point
        return outcome
            + script.frame(
                "1/RS41/403.500/V4210150/\(decimal(point.coordinate.latitude, 6))/"
                    + "\(decimal(point.coordinate.longitude, 6))/\(decimal(point.altitudeMetres, 1))/"
                    + "\(decimal(min(speed, 500), 1))/\(decimal(climb, 1))/117.5/100/0/0/0/4274/0/0/0/0/3.10/o")
    }

    func elapsed(at time: WallTime) -> Double {
        Double(time.millisecondsSince1970 - start.time.millisecondsSince1970) / 1000
    }
}
