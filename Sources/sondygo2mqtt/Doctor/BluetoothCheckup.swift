import BlueZTransport
import BluetoothProtocol
import FoundationEssentials
import GatewayReports

/// Checks whether this machine can reach the receiver over Bluetooth.
struct BluetoothCheckup {
    let configuration: Configuration

    func findings() -> [Finding] {
        var findings = [kernel]
        guard findings.allSatisfy({ $0.verdict == .ok }) else { return findings }
        if let fault = KernelBluetooth.knownFault { findings.append(Finding.note("kernel", fault)) }
        return findings + adapter + [permission, daemon]
    }

    private var kernel: Finding {
        do throws(TransportError) {
            let version = try KernelBluetooth.managementVersion()
            return Finding.ok("kernel", "has Bluetooth, management interface \(version)")
        } catch {
            return Finding.wrong("kernel", error.detail, code: .receiverBluetooth)
        }
    }

    /// The adapter's state, with its bus, Bluetooth version and chip; and what is known to go wrong with that chip.
    private var adapter: [Finding] {
        do throws(TransportError) {
            let adapter = try ReceiverScanner(adapter: configuration.receiver.ble.adapter).locate()
            let hardware = AdapterHardware(of: adapter.index)
            let about = [hardware?.description, adapter.address.description].compactMap(\.self)
            let name = "\(adapter.index) (\(about.joined(separator: ", ")))"
            let warning = hardware?.warning.map { [Finding.note("adapter", "\(adapter.index): \($0)")] } ?? []
            guard !adapter.isPowered else { return [Finding.ok("adapter", "\(name) is on")] + warning }
            return [
                KernelBluetooth.hasNetworkAdministration
                    ? Finding.ok("adapter", "\(name) is off; the gateway switches it on")
                    : Finding.wrong(
                        "adapter", "\(name) is off; run: bluetoothctl power on", code: .receiverBluetooth)
            ]
        } catch {
            return [Finding.wrong("adapter", error.detail, code: .receiverBluetooth)]
        }
    }

    private var permission: Finding {
        if KernelBluetooth.hasNetworkAdministration {
            return Finding.ok("permission", "may scan and look after the adapter (CAP_NET_ADMIN)")
        }
        let grant =
            "sudo setcap cap_net_admin+ep \(program), or AmbientCapabilities=CAP_NET_ADMIN in its unit"
        return configuration.receiver.ble.address == nil
            ? Finding.wrong(
                "permission", "no CAP_NET_ADMIN, which scanning needs: \(grant); or set receiver.address",
                code: .receiverPermission)
            : Finding.note(
                "permission",
                "no CAP_NET_ADMIN: the pinned receiver works, the adapter can't be looked after; grant it: \(grant)")
    }

    private var program: String {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? "sondygo2mqtt"
    }

    private var daemon: Finding {
        KernelBluetooth.isDaemonRunning
            ? Finding.ok("bluetoothd", "is running; the gateway shares the adapter with it")
            : Finding.ok("bluetoothd", "is not running, and is not needed")
    }
}
