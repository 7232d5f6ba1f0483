import Foundation
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

    /// gpsd's devices -> whether the line says that gpsd uses the receiver's cable, which the configuration names by a
    /// link.
    @Test(arguments: [("ttyUSB0", true), ("mysondygo", true), ("ttyUSB1", false)])
    func aGPSDThatUsesTheReceiversCableIsNamed(_ device: String, _ isNamed: Bool) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let link = folder.appending(path: "mysondygo").path
        for name in ["ttyUSB0", "ttyUSB1"] { try Data().write(to: folder.appending(path: name)) }
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "ttyUSB0")
        let server = try SocketServer()
        var configuration = Configuration()
        configuration.gpsd.port = server.port
        configuration.receiver.transport = SerialSettings.name
        configuration.receiver.serial.device = link
        async let finding = GPSDCheckup(configuration: configuration).finding
        try await server.accept()
        let path = folder.appending(path: device).path
        server.write(Array("{\"class\":\"DEVICES\",\"devices\":[{\"path\":\"\(path)\"}]}\n".utf8))
        #expect(await finding.text.contains("\(link), the receiver's cable") == isNamed)
        #expect(await finding.verdict == .note)
    }
}
