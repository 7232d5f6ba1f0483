import TestSupport
import Testing

@testable import sondygo2mqtt

/// The line of `doctor` about gpsd.
@Suite(.timeLimit(.minutes(10))) struct GPSDCheckupTests {
    @Test func aGPSDThatIsAwayIsNamedOnce() async {
        var configuration = Configuration()
        configuration.gpsd.port = Broker.freePort()
        let finding = await GPSDCheckup(configuration: configuration).finding
        let place = "localhost:\(configuration.gpsd.port)"
        #expect(finding.text == "\(place): Connection refused; the gateway works without it")
    }
}
