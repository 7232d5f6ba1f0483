import RealModule

/// How strong a receiver near the ground hears a sonde: by distance, over the ground, behind trees and terrain, and with
/// fading. The same seed gives the same trees, and the same fading call for call.
public struct SignalModel: Sendable {
    /// A weaker signal is not decoded, dBm.
    public static let weakestDBm = -121.0
    /// The received power at 1 km in free space, dBm.
    private static let atKilometre = -60.0
    /// A sonde higher than this, metres, is heard without the ground between.
    private static let lowMetres = 300.0
    /// The heights of the antennas on the ground, and the wavelength of 403 MHz, metres.
    private static let (sondeMetres, receiverMetres, wavelength) = (0.5, 2.0, 0.744)
    /// The standard deviations of what trees and terrain take or give, and of the fading, dB.
    private static let (shadow, fading) = (5.0, 3.0)
    /// Trees and terrain are much the same within this distance, metres.
    private static let copseMetres = 80.0
    private static let metresPerDegree = 111_195.0

    private let seed: UInt64
    private var random: SeededGenerator

    public init(seed: UInt64) {
        self.seed = seed
        random = SeededGenerator(seed: seed ^ 0x51_6A41)
    }

    /// The power of one frame, dBm.
    /// - Parameter heightMetres: of the sonde above the ground.
    public mutating func dBm(at receiver: CarModel.Place, from sonde: CarModel.Place, heightMetres: Double) -> Double {
        let north = (sonde.latitude - receiver.latitude) * Self.metresPerDegree
        let narrowing = Double.cos(receiver.latitude * .pi / 180)
        let east = (sonde.longitude - receiver.longitude) * Self.metresPerDegree * narrowing
        let metres = max(1, (north * north + east * east + heightMetres * heightMetres).squareRoot())
        let free = Self.atKilometre - 20 * Double.log10(metres / 1000)
        let fade = random.normal(Self.fading)
        guard heightMetres < Self.lowMetres else { return free + fade }
        // Beyond this distance the wave that the ground reflects weakens the direct one.
        let height = max(Self.sondeMetres, heightMetres)
        let turn = 4 * height * Self.receiverMetres / Self.wavelength
        let ground = max(0, 20 * Double.log10(metres / turn))
        let low = 1 - heightMetres / Self.lowMetres
        return free - ground + low * shadow(at: receiver, narrowing) + fade
    }

    /// What trees and terrain around a place give, dB: interpolated between the corners of a grid.
    private func shadow(at place: CarModel.Place, _ narrowing: Double) -> Double {
        let x = place.longitude * Self.metresPerDegree * narrowing / Self.copseMetres
        let y = place.latitude * Self.metresPerDegree / Self.copseMetres
        let (column, row) = (x.rounded(.down), y.rounded(.down))
        let (right, up) = (x - column, y - row)
        func corner(_ east: Double, _ north: Double) -> Double {
            let cell = UInt64(bitPattern: Int64(column + east)) &* 0x9E37_79B9 ^ UInt64(bitPattern: Int64(row + north))
            var random = SeededGenerator(seed: seed ^ cell &* 0xBF58_476D_1CE4_E5B9)
            return random.normal(Self.shadow)
        }
        let below = corner(0, 0) * (1 - right) + corner(1, 0) * right
        let above = corner(0, 1) * (1 - right) + corner(1, 1) * right
        // Interpolation between four independent values lessens the deviation by about a third.
        return (below * (1 - up) + above * up) * 1.5
    }
}
