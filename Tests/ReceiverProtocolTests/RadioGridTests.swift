import ReceiverProtocol
import Testing

/// The grid of frequencies on which sondes transmit.
@Suite struct RadioGridTests {
    /// Of 600 pairs 96 differ by a little more than 0.01 as binary fractions.
    @Test func eachStepAgreesWithTheNextAndNotWithTheOneAfter() {
        for step in 40_000...40_600 {
            let frequency = Double(step) / 100
            #expect(RadioGrid.agree(frequency, Double(step + 1) / 100), "\(frequency)")
            #expect(!RadioGrid.agree(frequency, Double(step + 2) / 100), "\(frequency)")
            #expect(RadioGrid.nearest(to: frequency + 0.004) == frequency && RadioGrid.error(of: frequency) == 0)
        }
    }

    @Test func nothingAgreesWithAnUnknownFrequency() {
        #expect(!RadioGrid.agree(.nan, 403.5) && !RadioGrid.agree(403.5, .infinity))
    }
}
