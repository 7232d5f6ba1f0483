import BluetoothProtocol
import Glibc
import ReceiverProtocol

/// Removes an adapter from the system and adds it again, through sysfs: withdraws a USB adapter's authorisation, or
/// unbinds another adapter's driver. The process must have the right to write there.
struct AdapterReset {
    /// Tests use another folder.
    var root = "/sys"

    /// The time for the kernel to notice the removal.
    private static let pause = Duration.milliseconds(500)

    /// Resets the adapter. Blocks for ``pause``.
    /// - Returns: the reason of a failure; nil after a success.
    func perform(_ index: AdapterIndex) -> String? {
        let link = "\(root)/class/bluetooth/\(index)/device"
        guard let device = resolved(link) else { return "\(index) has no device that could be reset" }
        let name = device.lastPathComponent
        if let usb = device.deletingLastPathComponent, exists(usb + "/authorized") {
            return write("0", to: usb + "/authorized") ?? paused() ?? write("1", to: usb + "/authorized")
        }
        guard let driver = resolved(device + "/driver") else { return "\(index) has no driver that could be reset" }
        return write(name, to: driver + "/unbind") ?? paused() ?? write(name, to: driver + "/bind")
    }

    private func paused() -> String? {
        usleep(UInt32(clamping: Self.pause.wholeNanoseconds / 1000))
        return nil
    }

    private func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    private func resolved(_ path: String) -> String? {
        guard let text = realpath(path, nil) else { return nil }
        defer { free(text) }
        return String(cString: text)
    }

    private func write(_ text: String, to path: String) -> String? {
        let descriptor = open(path, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "\(path): \(String(cString: strerror(errno)))" }
        defer { close(descriptor) }
        let count = Array(text.utf8).withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        return count == text.utf8.count ? nil : "\(path): \(String(cString: strerror(errno)))"
    }
}

extension String {
    fileprivate var lastPathComponent: String { split(separator: "/").last.map { String($0) } ?? self }

    fileprivate var deletingLastPathComponent: String? {
        lastIndex(of: "/").map { String(self[..<$0]) }
    }
}
