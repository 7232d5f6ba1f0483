import RealModule

/// The shortest way between two places on the WGS84 ellipsoid.
///
/// Near places by Gauss's mid-latitude formula, which is quick; others by Vincenty's inverse formula; where that does
/// not converge (nearly antipodal), through the best of the places half-way.
struct Geodesic {
    /// Metres.
    private(set) var metres = 0.0
    /// At the start, degrees clockwise from true north, 0 ..< 360.
    private(set) var bearingDegrees = 0.0

    private static let equatorMetres = 6_378_137.0
    private static let flattening = 1 / 298.257223563
    private static let poleMetres = equatorMetres * (1 - flattening)
    private static let eccentricitySquared = flattening * (2 - flattening)
    /// Within this both ways, and not near a pole, the mid-latitude formula is right to a millionth.
    private static let nearDegrees = 0.5
    private static let polarDegrees = 80.0
    private static let iterations = 50

    init(from start: Coordinate, to end: Coordinate) {
        let turn = (end.longitude - start.longitude).remainder(dividingBy: 360)
        let rise = end.latitude - start.latitude
        guard rise != 0 || turn != 0 else {
            self.init(metres: 0, bearingRadians: 0)
            return
        }
        if abs(rise) < Self.nearDegrees, abs(turn) < Self.nearDegrees, abs(start.latitude) < Self.polarDegrees {
            self.init(near: start, rise: rise, turn: turn)
        } else if let found = Self.vincenty(from: start, to: end) {
            self = found
        } else {
            self = Self.halfWay(from: start, to: end)
        }
    }

    private init(metres: Double, bearingRadians: Double) {
        self.metres = metres
        let degrees = bearingRadians / Coordinate.radians
        let turned = degrees < 0 ? degrees + 360 : degrees
        bearingDegrees = turned < 360 ? turned : 0
    }

    private init(near start: Coordinate, rise: Double, turn: Double) {
        let middle = (start.latitude + rise / 2) * Coordinate.radians
        let (sine, cosine) = (Double.sin(middle), Double.cos(middle))
        let bulge = 1 - Self.eccentricitySquared * sine * sine
        let prime = Self.equatorMetres / bulge.squareRoot()
        let meridian = prime * (1 - Self.eccentricitySquared) / bulge
        let east = prime * cosine * turn * Coordinate.radians
        let north = meridian * rise * Coordinate.radians
        // The meridians converge: half of it lies before the middle.
        let bearing = Double.atan2(y: east, x: north) - turn * Coordinate.radians * sine / 2
        self.init(metres: (east * east + north * north).squareRoot(), bearingRadians: Self.normal(bearing))
    }

    private static func normal(_ radians: Double) -> Double { radians.remainder(dividingBy: 2 * .pi) }

    /// T. Vincenty, Direct and inverse solutions of geodesics on the ellipsoid, 1975.
    private static func vincenty(from start: Coordinate, to end: Coordinate) -> Geodesic? {
        let turn = (end.longitude - start.longitude).remainder(dividingBy: 360) * Coordinate.radians
        let (sine1, cosine1) = reduced(start.latitude)
        let (sine2, cosine2) = reduced(end.latitude)
        var lambda = turn
        for _ in 0..<iterations {
            let (sineLambda, cosineLambda) = (Double.sin(lambda), Double.cos(lambda))
            let east = cosine2 * sineLambda
            let north = cosine1 * sine2 - sine1 * cosine2 * cosineLambda
            let sineSigma = (east * east + north * north).squareRoot()
            let cosineSigma = sine1 * sine2 + cosine1 * cosine2 * cosineLambda
            guard sineSigma > 1e-15 else { return cosineSigma > 0 ? Geodesic(metres: 0, bearingRadians: 0) : nil }
            let sigma = Double.atan2(y: sineSigma, x: cosineSigma)
            let sineAlpha = cosine1 * cosine2 * sineLambda / sineSigma
            let squaredCosine = 1 - sineAlpha * sineAlpha
            let middle = squaredCosine > 1e-15 ? cosineSigma - 2 * sine1 * sine2 / squaredCosine : 0
            let correction = flattening / 16 * squaredCosine * (4 + flattening * (4 - 3 * squaredCosine))
            let inner = middle + correction * cosineSigma * (2 * middle * middle - 1)
            let outer = sigma + correction * sineSigma * inner
            let next = turn + (1 - correction) * flattening * sineAlpha * outer
            guard abs(next) <= .pi else { return nil }
            if abs(next - lambda) < 1e-12 {
                let arc = Arc(sigma: sigma, sine: sineSigma, cosine: cosineSigma, middle: middle)
                return Geodesic(
                    metres: arc.metres(squaredCosine), bearingRadians: Double.atan2(y: east, x: north))
            }
            lambda = next
        }
        return nil
    }

    /// Sine and cosine of the latitude on the auxiliary sphere.
    private static func reduced(_ latitude: Double) -> (sine: Double, cosine: Double) {
        let angle = latitude * Coordinate.radians
        let (sine, cosine) = ((1 - flattening) * Double.sin(angle), Double.cos(angle))
        let length = (sine * sine + cosine * cosine).squareRoot()
        return (sine / length, cosine / length)
    }

    /// An arc on the auxiliary sphere.
    private struct Arc {
        var sigma, sine, cosine, middle: Double

        func metres(_ squaredCosine: Double) -> Double {
            let (equator, pole) = (Geodesic.equatorMetres, Geodesic.poleMetres)
            let square = squaredCosine * (equator * equator - pole * pole) / (pole * pole)
            let scale = 1 + square / 16384 * (4096 + square * (-768 + square * (320 - 175 * square)))
            let series = square / 1024 * (256 + square * (-128 + square * (74 - 47 * square)))
            let double = 2 * middle * middle - 1
            let triple = middle * (4 * sine * sine - 3) * (4 * middle * middle - 3)
            let correction = series * sine * (middle + series / 4 * (cosine * double - series / 6 * triple))
            return pole * scale * (sigma - correction)
        }
    }

    /// Every way to the other side of the Earth crosses the circle a quarter of the Earth away: by the place on it that
    /// makes the way shortest.
    private static func halfWay(from start: Coordinate, to end: Coordinate) -> Geodesic {
        let quarter = Coordinate.sphereMetres * .pi / 2
        let way = { (radians: Double) -> Geodesic in
            let middle = start.moved(east: quarter * Double.sin(radians), north: quarter * Double.cos(radians))
            guard var first = vincenty(from: start, to: middle), let second = vincenty(from: middle, to: end) else {
                return Geodesic(metres: .infinity, bearingRadians: 0)
            }
            first.metres += second.metres
            return first
        }
        var step = Double.pi / 36
        var best = 0.0
        var found = way(best)
        for index in 1..<72 {
            let next = way(Double(index) * step)
            if next.metres < found.metres { (best, found) = (Double(index) * step, next) }
        }
        while step > 1e-6 {
            for direction in [best - step, best + step] {
                let next = way(direction)
                if next.metres < found.metres { (best, found) = (direction, next) }
            }
            step /= 2
        }
        return found
    }
}
