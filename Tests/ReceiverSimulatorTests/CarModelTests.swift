import ReceiverSimulator
import Testing

@Suite struct CarModelTests {
    /// A route comes again and again on the way. The car goes on along it, whatever the distance of its places.
    @Test(arguments: [10.0, 100, 1000, 20_000]) func aRouteThatComesAgainIsFollowed(_ spacing: Double) {
        var car = CarModel(seed: 1, near: .init(latitude: 47, longitude: 8))
        let start = car.place
        let route = stride(from: 0, through: 20_000, by: spacing).map {
            CarModel.Place(latitude: start.latitude + $0 / 111_195, longitude: start.longitude)
        }
        for second in 0..<300 {
            if second % 5 == 0 { car.follow(route) }
            car.advance()
        }
        let driven = (car.place.latitude - start.latitude) * 111_195
        #expect(abs(driven - 5000) < 1, "\(driven)")
    }
}
