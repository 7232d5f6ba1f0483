import GatewayCore
import Logging
import MosquittoClient

/// Everything that can be configured, with defaults for a broker on the same box and the receiver's USB cable.
struct Configuration: Equatable {
    struct Gateway: Equatable {
        var id = Configuration.defaultID
        var stateDirectory = "/var/lib/sondygo2mqtt"
        var logLevel = Logger.Level.info
    }

    struct MQTT: Equatable {
        var host = "localhost"
        var port = 1883
        var baseTopic = "sondygo"
        var username: String?
        var passwordFile: String?
        var clientID: String?
        var protocolVersion = MosquittoConfiguration.ProtocolVersion.v5
        var usesTLS = false
        var caFile: String?
        var certificateFile: String?
        var keyFile: String?
    }

    enum Transport: String, CaseIterable {
        case serial, tcp, replay, simulator
    }

    struct Receiver: Equatable {
        var transport = Transport.serial
        var device = "/dev/ttyUSB0"
        var baud = 9600
        var host = "localhost"
        var port = 2000
        var file: String?
        var speed = 1.0
        var seed = 1
        var frequencyMinimum = 400.0
        var frequencyMaximum = 406.0
        var allowsDangerousSettings = false
    }

    struct Recorder: Equatable {
        var raw = false
        var retentionDays = 90
        var maximumSizeMB = 500
    }

    var gateway = Gateway()
    var mqtt = MQTT()
    var receiver = Receiver()
    var recorder = Recorder()
    /// Read from `mqtt.password_file` or the systemd credential; never printed.
    var password: String?
    /// Where each key that was set got its value from, and the value: `mqtt.port` -> `8883`.
    var explicit: [String: String] = [:]

    var commandPolicy: CommandPolicy {
        CommandPolicy(
            frequencyRange: receiver.frequencyMinimum...max(receiver.frequencyMinimum, receiver.frequencyMaximum),
            allowsDangerousSettings: receiver.allowsDangerousSettings)
    }
}
