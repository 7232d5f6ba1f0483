import Foundation
import GatewayReports
import Glibc

/// A `simulate` or `replay` with a private broker, as other commands find it: by a file in the broker's folder.
struct RunningSimulation: Equatable {
    var port: Int
    var baseTopic: String
    var id: String
    /// The folder of its store.
    var stateDirectory: String
    /// The file of its `--config`; nil without.
    var file: String?

    /// The folder of the private broker of a process.
    static func folder(of process: pid_t) -> String { "\(temporaryFolder)/\(prefix)\(process)" }

    private static let prefix = "sondygo2mqtt-"
    private static let name = "gateway.json"
    private static let mostBytes = 4096

    private static var temporaryFolder: String { FileManager.default.temporaryDirectory.path }

    /// The folder in which a simulation of this process keeps its store.
    static var passingStateDirectory: String { "\(temporaryFolder)/\(prefix)state-\(getpid())" }

    /// Tells other commands of the simulation of this process. Without the file they only don't find it.
    func tell() {
        var json = JSONText()
        json.field("port", port)
        json.field("base", baseTopic)
        json.field("id", id)
        json.field("state", stateDirectory)
        if let file { json.field("file", Self.wholePath(file)) }
        let place = URL(fileURLWithPath: "\(Self.folder(of: getpid()))/\(Self.name)")
        try? Data(json.object).write(to: place, options: .atomic)
    }

    /// The simulations that run, the newest first.
    static var all: [RunningSimulation] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: temporaryFolder)) ?? []
        let processes = names.compactMap { name in
            name.hasPrefix(prefix) ? pid_t(name.dropFirst(prefix.count)) : nil
        }
        return processes.filter { kill($0, 0) == 0 || errno == EPERM }
            .compactMap { process -> (started: Int, simulation: RunningSimulation)? in
                let path = "\(folder(of: process))/\(name)"
                var status = stat()
                // Others may write into the folder of all temporary files.
                guard stat(path, &status) == 0, [0, getuid()].contains(status.st_uid),
                    let simulation = RunningSimulation(json: path)
                else { return nil }
                return (status.st_mtim.tv_sec, simulation)
            }
            .sorted { $0.started > $1.started }.map(\.simulation)
    }

    /// Whether it was started with this `--config`.
    func hasFile(_ path: String) -> Bool { file == Self.wholePath(path) }

    private static func wholePath(_ path: String) -> String { URL(fileURLWithPath: path).standardizedFileURL.path }

    /// The configuration for asking it.
    func asked(by configuration: Configuration) -> Configuration {
        var simulated = configuration
        simulated.usePrivateBroker(port: port)
        simulated.mqtt.baseTopic = baseTopic
        simulated.gateway.id = id
        simulated.gateway.stateDirectory = stateDirectory
        return simulated
    }
}

extension RunningSimulation {
    fileprivate init?(json file: String) {
        guard let text = try? SmallFile.text(of: file, maximumLength: Self.mostBytes),
            case .object(let members)? = JSONValue(json: Array(text.utf8)),
            case .integer(let port)? = members["port"], 1...65_535 ~= port, case .string(let base)? = members["base"],
            case .string(let id)? = members["id"], case .string(let state)? = members["state"]
        else { return nil }
        self.init(port: Int(port), baseTopic: base, id: id, stateDirectory: state)
        if case .string(let path)? = members["file"] { self.file = path }
    }
}

extension Configuration {
    /// Uses a private broker of this machine, which knows neither logins nor TLS.
    mutating func usePrivateBroker(port: Int) {
        (mqtt.hosts, mqtt.port) = (["127.0.0.1"], port)
        (mqtt.username, password, mqtt.usesTLS) = (nil, nil, false)
    }
}
