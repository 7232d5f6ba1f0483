import RealModule
import ReceiverSimulator
import Testing

/// How strong the simulated receiver hears a sonde.
@Suite struct SignalModelTests {
    private static let sonde = CarModel.Place(latitude: 46.8131, longitude: 6.9435)

    private static func place(north metres: Double) -> CarModel.Place {
        CarModel.Place(latitude: sonde.latitude + metres / 111_195, longitude: sonde.longitude)
    }

    /// Many frames at one distance, dBm.
    private static func levels(
        _ model: inout SignalModel, north metres: Double, height: Double, count: Int = 400
    ) -> [Double] {
        (0..<count).map { _ in model.dBm(at: place(north: metres), from: sonde, heightMetres: height) }
    }

    private static func mean(_ values: [Double]) -> Double { values.reduce(0, +) / Double(values.count) }

    /// A flying sonde is heard as in free space: 6 dB less at twice the distance. Only the fading remains.
    @Test(arguments: [(1000.0, 10_000.0), (20_000, 20_000), (100_000, 30_000)])
    func freeSpace(_ metres: Double, _ height: Double) {
        var model = SignalModel(seed: 1)
        let levels = Self.levels(&model, north: metres, height: height)
        let way = (metres * metres + height * height).squareRoot()
        #expect(abs(Self.mean(levels) - (-60 - 20 * Double.log10(way / 1000))) < 0.6)
        let mean = Self.mean(levels)
        let deviation = Self.mean(levels.map { ($0 - mean) * ($0 - mean) }).squareRoot()
        #expect((2.5...3.5).contains(deviation), "the fading is \(deviation) dB")
    }

    /// On the ground twice the distance costs 12 dB, on the mean of many seeds, because terrain and trees differ.
    @Test func overTheGround() {
        func mean(_ metres: Double) -> Double {
            Self.mean(
                (0..<200).map { seed in
                    var model = SignalModel(seed: UInt64(seed))
                    return Self.mean(Self.levels(&model, north: metres, height: 0, count: 4))
                })
        }
        let (near, far) = (mean(400), mean(800))
        #expect(abs(near - far - 12.04) < 1.5, "\(near) and \(far) dBm")
    }

    /// Trees and terrain stay where they are, and change little within some metres. They never give or take 30 dB.
    @Test(arguments: 0..<20) func terrainIsBounded(_ seed: Int) {
        var model = SignalModel(seed: UInt64(seed))
        var other = SignalModel(seed: 999)
        func shadow(_ model: inout SignalModel, _ metres: Double) -> Double {
            let law = -60 - 20 * Double.log10(metres / 1000) - 20 * Double.log10(metres * 0.744 / 4)
            return Self.mean(Self.levels(&model, north: metres, height: 0)) - law
        }
        let (here, beside, there) = (shadow(&model, 500), shadow(&model, 502), shadow(&model, 1500))
        #expect(abs(here) < 30 && abs(there) < 30)
        #expect(abs(here - beside) < 2.5)
        #expect(abs(here - shadow(&other, 500)) > 0.01)
    }

    @Test func theSameSeedFadesTheSame() {
        var (first, second, third) = (SignalModel(seed: 7), SignalModel(seed: 7), SignalModel(seed: 8))
        let levels = Self.levels(&first, north: 700, height: 0, count: 50)
        #expect(levels == Self.levels(&second, north: 700, height: 0, count: 50))
        #expect(levels != Self.levels(&third, north: 700, height: 0, count: 50))
    }

    /// At the sonde itself, and at any distance, the level is a number.
    @Test(arguments: [0.0, 0.5, 2_000_000]) func extremes(_ metres: Double) {
        var model = SignalModel(seed: 3)
        #expect(Self.levels(&model, north: metres, height: 0).allSatisfy { $0.isFinite })
    }
}
