import FlightMath
import Foundation

/// Prints a line for each half minute of each flight: where the sonde is, and where and when it is expected to land.
/// `advice.mjs` lets a car follow what the page advises with it.
struct AdviceRows {
    private static let columns = "flight,t_s,lat,lon,alt_m,land_lat,land_lon,r50_m,landing_in_s,true_lat,true_lon"
    private static let seconds: Int64 = 30

    let flights: OtherFlights

    func report(_ tracks: [RecordedTrack]) {
        print(Self.columns)
        for track in tracks { if let truth = flights.landing(track) { report(track, truth) } }
    }

    private func report(_ track: RecordedTrack, _ truth: Coordinate) {
        guard let first = track.points.first else { return }
        let predictor = OwnWindsPredictor(options: flights.options(track))
        var flight = flights.flight(track, until: WallTime(millisecondsSince1970: .min))
        var rest = track.points[...]
        for moment in track.resampled(everySeconds: Self.seconds) {
            while let point = rest.first, point.time <= moment.time {
                _ = flight.insert(point)
                rest.removeFirst()
            }
            let prediction = predictor.prediction(for: flight)
            print(row(track, first, moment, prediction, truth))
        }
    }

    private func row(
        _ track: RecordedTrack, _ first: TrackPoint, _ moment: TrackPoint, _ prediction: LandingPrediction?,
        _ truth: Coordinate
    ) -> String {
        let passed = moment.time.millisecondsSince1970 - first.time.millisecondsSince1970
        var columns: [String] = [track.name, decimal(Double(passed) / 1000, 0)]
        columns.append(contentsOf: degrees(moment.coordinate))
        columns.append(decimal(moment.altitudeMetres, 0))
        if let prediction {
            columns.append(contentsOf: degrees(prediction.landing.coordinate))
            columns.append(decimal(prediction.radius.metres50, 0))
            columns.append(decimal(prediction.minutesToGo * 60, 0))
        } else {
            columns.append(contentsOf: ["", "", "", ""])
        }
        columns.append(contentsOf: degrees(truth))
        return columns.joined(separator: ",")
    }

    private func degrees(_ place: Coordinate) -> [String] {
        [decimal(place.latitude, 6), decimal(place.longitude, 6)]
    }
}
