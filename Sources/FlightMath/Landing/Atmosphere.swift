import RealModule

/// The air density of the ICAO standard atmosphere, for the fall of a parachute.
///
/// A parachute that falls with v0 at sea level falls with v0 / q in air of density rho, where q = sqrt(rho / 1.225).
/// Let s be the integral of q over altitude, in metres. Then s falls by v0 each second.
package enum Atmosphere {
    private static let floorMetres = -500.0
    private static let ceilingMetres = 50_000.0
    private static let stepMetres = 10.0
    private static let seaLevelDensity = 1.225
    private static let gasConstant = 287.05287
    private static let gravity = 9.80665

    private struct Layer {
        /// In metres, kelvin, kelvin per metre and pascal.
        var base, temperature, lapse, pressure: Double
    }

    private static let layers = [
        Layer(base: 0, temperature: 288.15, lapse: -0.0065, pressure: 101_325),
        Layer(base: 11_000, temperature: 216.65, lapse: 0, pressure: 22_632.06),
        Layer(base: 20_000, temperature: 216.65, lapse: 0.001, pressure: 5474.889),
        Layer(base: 32_000, temperature: 228.65, lapse: 0.0028, pressure: 868.0187),
    ]

    private static let densityRoots: [Double] = {
        let count = Int((ceilingMetres - floorMetres) / stepMetres) + 1
        return (0..<count).map { (density(floorMetres + Double($0) * stepMetres) / seaLevelDensity).squareRoot() }
    }()

    /// The values of s at the altitudes of ``densityRoots``.
    private static let fallMetresTable: [Double] = {
        var sum = 0.0
        var table = [0.0]
        for (lower, upper) in zip(densityRoots, densityRoots.dropFirst()) {
            sum += (lower + upper) / 2 * stepMetres
            table.append(sum)
        }
        return table
    }()

    /// q = sqrt(rho / rho at sea level) at an altitude in metres. Outside -500 ... 50 000 m it is the value at the
    /// nearer end.
    package static func densityRoot(at metres: Double) -> Double { value(densityRoots, at: metres) }

    /// s in metres; 0 at -500 m.
    static func fallMetres(at metres: Double) -> Double { value(fallMetresTable, at: metres) }

    private static func value(_ table: [Double], at metres: Double) -> Double {
        let place = (min(ceilingMetres, max(floorMetres, metres)) - floorMetres) / stepMetres
        let index = min(table.count - 2, Int(place))
        return table[index] + (table[index + 1] - table[index]) * (place - Double(index))
    }

    private static func density(_ metres: Double) -> Double {
        let layer = layers.last { $0.base <= metres } ?? layers[0]
        let height = metres - layer.base
        let temperature = layer.temperature + layer.lapse * height
        let exponent = gravity / gasConstant
        let pressure =
            layer.lapse == 0
            ? layer.pressure * Double.exp(-exponent * height / layer.temperature)
            : layer.pressure * Double.pow(temperature / layer.temperature, -exponent / layer.lapse)
        return pressure / (gasConstant * temperature)
    }
}
